import type { IncomingMessage } from 'node:http';
import { cached, computeDigest, type Exchange, sendContent } from '../../../lib/http/exchange.ts';
import type { Route, RouteDescription } from '../../../lib/http/route.ts';
import { operationPath } from '../../../web/pages/reference.ts';
import { escaped } from '../pages/page.ts';

export interface OriginDependencies {
  /** Public origin of the service. If it is absent, documents use the host of the request. */
  publicUrl: string | undefined;
  pagePaths: readonly string[];
}

const hostName = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** The origin that the request names, or `http://localhost` if it is invalid. Used only without a public origin. */
function deriveOrigin({ headers: { host = '' } }: IncomingMessage): string {
  return `http://${hostName.test(host) && host.length <= 255 ? host : 'localhost'}`;
}

const dayS = 86_400;

/**
 * A route of a file with absolute urls. With a public origin, its bytes are made once. Without one, each response has
 * the host of its request, so no cache may share it.
 */
function originFile(
  path: string,
  contentType: string,
  write: (origin: string, dependencies: OriginDependencies) => string,
  headers: readonly string[] = [],
): Route<OriginDependencies> {
  const buildContent = (origin: string, cacheControl: string, dependencies: OriginDependencies) => {
    const body = Buffer.from(write(origin, dependencies));
    return { body, contentType, cacheControl, tag: computeDigest(body), headers };
  };
  const sendPrepared = cached((dependencies: OriginDependencies) =>
    buildContent(dependencies.publicUrl!, `public, max-age=${dayS}`, dependencies),
  );
  return {
    method: 'get',
    path,
    mediaType: contentType.split(';')[0]!,
    unlimited: true,
    async answer(exchange: Exchange, _parameters, dependencies) {
      if (dependencies.publicUrl !== undefined) return await sendPrepared(exchange, dependencies);
      await sendContent(exchange, buildContent(deriveOrigin(exchange.req), 'no-cache', dependencies));
    },
  };
}

const sitemap = originFile('/sitemap.xml', 'application/xml; charset=utf-8', (origin, { pagePaths }) => {
  const urls = pagePaths.map((path) => `<url><loc>${escaped(origin + path)}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
});

/** `/robots.txt` excludes streams, which never end, and the paths of the agent, which are for its callers. */
const robots = originFile(
  '/robots.txt',
  'text/plain; charset=utf-8',
  (origin) => `User-agent: *
Disallow: /api/adaptors/events/stream
Disallow: /api/agent/
Allow: /

Sitemap: ${origin}/sitemap.xml
`,
);

const apiCatalogPath = '/.well-known/api-catalog';

/** RFC 9727: the APIs of the host, as a linkset of RFC 9264. */
const apiCatalog = originFile(
  apiCatalogPath,
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  (origin) => {
    const link = (path: string, type: string) => [{ href: origin + path, type }];
    const document = (name: string) => link(`/docs/${name}.md`, 'text/markdown')[0]!;
    const linkset = [
      {
        anchor: origin + apiCatalogPath,
        item: ['/api/adaptors', '/graphql'].map((path) => ({ href: origin + path })),
      },
      {
        anchor: `${origin}/api/adaptors`,
        'service-desc': link('/api/adaptors/openapi.json', 'application/json'),
        'service-doc': [...link('/docs', 'text/html'), document('api')],
        status: link('/status', 'application/json'),
      },
      {
        anchor: `${origin}/graphql`,
        'service-doc': [...link('/graphql/schema', 'text/html'), document('graphql')],
        status: link('/status', 'application/json'),
      },
    ];
    return `${JSON.stringify({ linkset }, null, 2)}\n`;
  },
  ['link', `<${apiCatalogPath}>; rel="api-catalog"`],
);

export const wellKnownRoutes = [sitemap, robots, apiCatalog];

/**
 * Paths of pages and documents that everyone can read: those without a parameter that are not part of the API, and the page
 * of each operation.
 */
export function pagePaths(routes: readonly RouteDescription[]): string[] {
  const pages = routes.filter(
    ({ path, mediaType, operation, needsSession }) =>
      /^text\/(html|markdown)$/.test(mediaType) && !operation && !needsSession && !path.includes(':'),
  );
  const operations = routes.flatMap(({ operation }) =>
    operation ? [operationPath(operation.operationId)] : [],
  );
  return [...new Set([...pages.map(({ path }) => path), ...operations])];
}
