# For people with Docker: docker build --tag kuport-agent .
# The published image is the one that scripts/image makes: smaller, without a shell, and the same bytes from the same files.
FROM eclipse-temurin:25-jdk-noble AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends maven \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN scripts/mvn -q -DskipTests package \
 && jlink --add-modules "$(grep -v '^#' image/modules | paste -sd,)" \
      --strip-debug --no-header-files --no-man-pages --output /image/opt/jre \
 && mkdir -p /image/opt/kuport \
 && java image/Slim.java target /image/opt/kuport 1767225600 '#!/opt/jre/bin/java @/opt/kuport/java.options' \
 && chmod 755 /image/opt/kuport/kuport \
 && cp image/java.options /image/opt/kuport/

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libnftables1 zlib1g libgcc-s1 netbase iptables \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /image/ /
RUN /opt/jre/bin/java -Xshare:off -XX:DumpLoadedClassList=/tmp/list @/opt/kuport/java.options /opt/kuport/kuport version \
 && /opt/jre/bin/java -Xshare:dump -XX:SharedClassListFile=/tmp/list @/opt/kuport/java.options /opt/kuport/kuport \
 && rm /tmp/list
ENV PATH=/opt/kuport:/opt/jre/bin:/usr/sbin:/usr/bin:/sbin:/bin MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=65536
ENTRYPOINT ["/opt/kuport/kuport"]
