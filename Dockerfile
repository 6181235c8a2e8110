# Two stages: the first has the compiler, the second only the program, what it links to, and a user of its own.
# The build needs no test and no file beside these four; .dockerignore leaves the rest out.
FROM debian:bookworm-slim AS build
WORKDIR /lab
# By itself, so that the packages are fetched again only when the list of them changes.
COPY scripts/setup scripts/setup
RUN scripts/setup build && rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt ./
COPY include include
COPY src src
RUN cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DQUOTE_LAB_BUILD_TESTS=OFF \
    && cmake --build build --target quote-lab --parallel "$(nproc)" \
    && strip build/src/quote-lab

FROM debian:bookworm-slim
LABEL org.opencontainers.image.title="quote-lab" \
      org.opencontainers.image.description="A laboratory for retry storms" \
      org.opencontainers.image.version="0.1.0"
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
       libboost-url1.81.0 libfmt9 libprometheus-cpp-core1.0 libspdlog1.10 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb /var/log/apt /var/log/dpkg.log \
    # A number and not only a name: a cluster that demands a user other than root can tell without looking inside.
    && groupadd --gid 10001 lab \
    && useradd --uid 10001 --gid lab --no-create-home --home-dir /data --shell /usr/sbin/nologin lab \
    && install --directory --owner=lab --group=lab --mode=0750 /data
COPY --from=build /lab/build/src/quote-lab /usr/local/bin/quote-lab

# The state lies in /data and nothing is written elsewhere, so that the root may be read-only.
ENV QUOTE_LAB_ADDRESS=0.0.0.0 \
    QUOTE_LAB_DATA_DIR=/data \
    PORT=8080
WORKDIR /data
VOLUME /data
EXPOSE 8080
USER 10001:10001
STOPSIGNAL SIGTERM
# Neither curl nor a shell is needed: the program asks the lab beside it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["quote-lab", "healthcheck"]
ENTRYPOINT ["quote-lab"]
CMD ["serve"]
