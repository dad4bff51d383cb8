# The whole service; a container runs the roles named after the image: `docker run IMAGE indexer gateway`.
# Images are named by tag, not by digest: only a registry can say which digest a tag has now. To pin one, append the digest
# of `docker buildx imagetools inspect node:24-bookworm-slim` as `@sha256:...` to the three lines.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
# The image has Node 24 and a host brings its own PostgreSQL: neither is installed again.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# The scripts and styles of the site are bundled here, by a development dependency.
FROM node:24-bookworm-slim AS site
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts && node web/assets/bundle.ts

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY . .
COPY --from=site /app/web/built web/built
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# As npm start: see docs/operations.md, "Disk and memory".
ENTRYPOINT ["node", "--max-semi-space-size=64", "services/main.ts"]
CMD ["indexer", "gateway"]
