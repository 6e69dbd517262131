# The image of svc: all of its processes, with the scorer. docs/image.md explains how to build and run it.

# The Node.js that package.json pins (devDependencies.node).
ARG NODE_VERSION=24.21.0
# To pin the base image by digest: --build-arg BASE=docker.io/library/node@sha256:…
ARG BASE=docker.io/library/node:${NODE_VERSION}-bookworm-slim

FROM ${BASE} AS build
# python3-pip fetches the scorer; neither is in the image.
RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip tini
WORKDIR /build
COPY package.json package-lock.json ./
# Installs exactly the lock file, without install scripts. For another registry: --secret id=npmrc,src=…
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --no-update-notifier
COPY LICENSE README.md CHANGELOG.md tsconfig.json ./
COPY api api
COPY bin bin
COPY deploy/chart deploy/chart
COPY migrations migrations
COPY scripts scripts
COPY src src
COPY web web
# The same package that svc is installed from elsewhere (npm run pack).
RUN node scripts/pack.ts /package && mkdir /opt/svc && tar --extract --file /package/*.tgz --directory /opt/svc --strip-components 1

# bundled: ffmpeg with libvmaf, for amd64 and arm64. none: no scorer, for controllers or with your own scorer.
ARG SCORER=bundled
# For another Python index: --secret id=pip,src=…/pip.conf
RUN --mount=type=secret,id=pip,target=/etc/pip.conf \
    case "$SCORER" in \
      none) ;; \
      bundled) /opt/svc/bin/svc scorer install || { \
          echo "svc: the image gets no scorer for $(uname -m). Without one, build with --build-arg SCORER=none:" \
               "controllers need no scorer, and nodes and servers use yours with --vmaf-binary." >&2; exit 1; \
        } ;; \
      *) echo "svc: --build-arg SCORER is \"$SCORER\"; use bundled or none." >&2; exit 1 ;; \
    esac

WORKDIR /opt/svc
COPY bin/health.mjs bin/
# Readable by every user and writable by none, independent of the modes in the checkout.
RUN chown -R 0:0 . && chmod -R u=rwX,go=rX .


FROM ${BASE}
# Nothing in the image can install packages or raise the privileges of a process.
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

# An embedded database is in /var/lib/svc: mount a volume there.
ENV NODE_ENV=production XDG_STATE_HOME=/var/lib
WORKDIR /opt/svc
USER 10001:10001
# REST, gRPC, metrics (with the probes of a node).
EXPOSE 8080 9090 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s CMD ["node", "/opt/svc/bin/health.mjs"]
# tini reaps orphaned processes of the scorers and forwards signals.
ENTRYPOINT ["tini", "--", "svc"]
CMD ["--help"]
