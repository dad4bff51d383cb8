import type { IncomingMessage } from 'node:http';
import { problem } from '../../../lib/errors/index.ts';
import { cached, computeDigest, type Exchange, sendContent } from '../../../lib/http/exchange.ts';
import type { Route, RouteDescription } from '../../../lib/http/route.ts';
import { operationPath } from '../../../web/pages/reference.ts';
import { escapeHtml } from '../pages/page.ts';

export interface OriginDependencies {
  /** Public origin of the service. If it is absent, documents use the host of the request. */
  publicUrl: string | undefined;
  pagePaths: readonly string[];
  /** Url to which the operator wants vulnerabilities of this host reported. */
  securityContact: string | undefined;
}

const hostName = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/i;

/** The origin that the request names, or `http://localhost` if it is invalid. Used only without a public origin. */
function deriveOrigin({ headers: { host = '' } }: IncomingMessage): string {
  return `http://${hostName.test(host) && host.length <= 255 ? host : 'localhost'}`;
}

const daySeconds = 86_400;

/**
 * A route of a file with absolute urls. With a public origin, its bytes are made once. Without one, each response has
 * the host of its request, so no cache may share it.
 */
function createOriginRoute(
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
    buildContent(dependencies.publicUrl!, `public, max-age=${daySeconds}`, dependencies),
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

const sitemap = createOriginRoute(
  '/sitemap.xml',
  'application/xml; charset=utf-8',
  (origin, { pagePaths }) => {
    const urls = pagePaths.map((path) => `<url><loc>${escapeHtml(origin + path)}</loc></url>`);
    return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
  },
);

/** `/robots.txt` excludes streams, which never end, and the paths of the agent, which are for its callers. */
const robots = createOriginRoute(
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
const apiCatalog = createOriginRoute(
  apiCatalogPath,
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  (origin) => {
    const link = (path: string, type: string) => [{ href: origin + path, type }];
    const document = (name: string) => link(`/docs/${name}.md`, 'text/markdown')[0]!;
    const linkset = [
      {
        anchor: origin + apiCatalogPath,
        item: ['/api/adaptors', '/graphql', '/mcp'].map((path) => ({ href: origin + path })),
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
      {
        anchor: `${origin}/mcp`,
        'service-doc': [...link('/docs/mcp', 'text/html'), document('mcp')],
        status: link('/status', 'application/json'),
      },
    ];
    return `${JSON.stringify({ linkset }, null, 2)}\n`;
  },
  ['link', `<${apiCatalogPath}>; rel="api-catalog"`],
);

/** The site's search for browsers, which offer it in their address bar (OpenSearch 1.1). */
const openSearch = createOriginRoute(
  '/opensearch.xml',
  'application/opensearchdescription+xml; charset=utf-8',
  (origin) => `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>Adaptors</ShortName>
<Description>Adaptors for Sui wallets</Description>
<InputEncoding>UTF-8</InputEncoding>
<Image width="64" height="64" type="image/svg+xml">${escapeHtml(origin)}/favicon.svg</Image>
<Url type="text/html" template="${escapeHtml(origin)}/?q={searchTerms}"/>
<Url type="application/opensearchdescription+xml" rel="self" template="${escapeHtml(origin)}/opensearch.xml"/>
</OpenSearchDescription>
`,
);

const securityPath = '/.well-known/security.txt';
/** RFC 9116 recommends less than a year. */
const contactValidMs = 180 * daySeconds * 1_000;

/** RFC 9116: the contact for vulnerabilities. A running host confirms it each day, so that it expires after the host ends. */
const securityText: Route<OriginDependencies> = {
  method: 'get',
  path: securityPath,
  mediaType: 'text/plain',
  unlimited: true,
  async answer(exchange, _parameters, { publicUrl, securityContact }) {
    if (securityContact === undefined)
      throw problem('not_found', 'The operator of this host has not set a contact for vulnerabilities.');
    const today = Math.floor(Date.now() / (daySeconds * 1_000)) * daySeconds * 1_000;
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${new Date(today + contactValidMs).toISOString()}`,
      ...(publicUrl === undefined
        ? []
        : [`Canonical: ${publicUrl}${securityPath}`, `Policy: ${publicUrl}/docs/report-a-vulnerability`]),
    ];
    const body = Buffer.from(`${lines.join('\n')}\n`);
    const contentType = 'text/plain; charset=utf-8';
    await sendContent(exchange, {
      body,
      contentType,
      cacheControl: `public, max-age=${daySeconds}`,
      tag: computeDigest(body),
    });
  },
};

export const wellKnownRoutes = [sitemap, robots, apiCatalog, openSearch, securityText];

/** Pages that are about a listing, which their query names. */
const pagesOfListings = new Set(['/report', '/review']);

/**
 * Paths of pages and documents that everyone can read: those without a parameter that are not part of the API, and the
 * page of each operation.
 */
export function listPagePaths(routes: readonly RouteDescription[]): string[] {
  const pages = routes.filter(
    ({ path, mediaType, operation, needsSession }) =>
      /^text\/(html|markdown)$/.test(mediaType) &&
      !operation &&
      !needsSession &&
      !path.includes(':') &&
      !pagesOfListings.has(path),
  );
  const operations = routes.flatMap(({ operation }) =>
    operation ? [operationPath(operation.operationId)] : [],
  );
  return [...new Set([...pages.map(({ path }) => path), ...operations])];
}
