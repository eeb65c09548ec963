# Everything a person types. `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup build demo cluster cluster-down test bench image manifests release format clean

help: ## Lists the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: ## Installs the Debian packages that building and testing need
	@scripts/setup

build: ## Builds target/kuport.jar
	@scripts/setup demo
	@scripts/mvn -q -Pquick -Dmaven.test.skip=true package

demo: build ## Shows the whole idea at work in network namespaces; ARGS=--keep opens a shell in it
	@scripts/kuport demo $(ARGS)

cluster: setup ## Brings up a real Kubernetes in network namespaces with kuport in it, and opens a shell inside
	@scripts/cluster up

cluster-down: ## Ends the cluster that make cluster has brought up
	@scripts/cluster down

test: setup ## Runs every tier of tests, the formatter's check and the static checks
	@scripts/mvn verify

image: setup build ## Builds the container image (an OCI archive) in target/image and prints its digest
	@scripts/image

manifests: ## Renders deploy/kuport.yaml and deploy/cleanup.yaml from the chart
	@scripts/manifests deploy

release: setup build ## Makes a release's files in target/release: manifests, chart, image, checksums, bill of materials
	@scripts/release

bench: build ## Measures a change among 10 000 mappings, with the real loop and kernel
	@scripts/mvn -q -Pquick test-compile dependency:build-classpath -Dmdep.outputFile=target/classpath
	@scripts/isolated/bin/java --enable-native-access=ALL-UNNAMED $$(grep -v -e '^#' -e SharedArchive -e -jar image/java.options) \
		-cp "target/classes:target/test-classes:$$(cat target/classpath)" li.wlz.kuport.benchmark.ChangeBenchmark $(ARGS)

format: ## Formats the sources
	@scripts/mvn -q spotless:apply

clean: ## Removes what was built
	@scripts/mvn -q clean
