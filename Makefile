# Everything a person types. `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup build test demo format clean image manifests release

help: ## Lists the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: ## Installs the Debian packages that building and testing need
	@scripts/setup

build: setup ## Builds target/kuport.jar
	@scripts/mvn -q -DskipTests package

test: setup ## Runs every tier of tests, the formatter's check and the static checks
	@scripts/mvn verify

image: build ## Builds the container image (an OCI archive) in target/image and prints its digest
	@scripts/image

manifests: ## Renders deploy/kuport.yaml and deploy/cleanup.yaml from the chart
	@scripts/manifests deploy

release: build ## Makes a release's files in target/release: manifests, chart, image, checksums, bill of materials
	@scripts/release

format: ## Formats the sources
	@scripts/mvn -q spotless:apply

clean: ## Removes what was built
	@scripts/mvn -q clean
