import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway, testPackages } from '../support/gateway.ts';

const publicUrl = 'https://market.example';
const securityContact = 'mailto:security@market.example';
const root = join(import.meta.dirname, '../..');
let gateway: TestGateway;
/** A gateway whose operator has set a public origin. */
let named: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(
    async (seed) => {
      for (const name of ['registry', 'wallet', 'rules', 'agents', 'escrow']) await seed.source({ name });
    },
    { network: testPackages },
  );
  named = await startTestGateway(undefined, { publicUrl, securityContact });
});
afterAll(async () => {
  await gateway.close();
  await named.close();
});

const get = (path: string, init?: RequestInit) => fetch(gateway.url + path, init);
const fetchText = async (path: string) => (await get(path)).text();
const markdownPaths = async () =>
  [...(await fetchText('/sitemap.xml')).matchAll(/<loc>[^<]*?(\/docs\/[^<]+\.md)</g)].map(
    ([, path]) => path!,
  );

test('llms.txt lists every document, says what each is for, and each of its links leads to an answer', async () => {
  const text = await fetchText('/llms.txt');
  expect(text).toBe(await readFile(join(root, 'llms.txt'), 'utf8'));
  expect(text).toMatch(/^# .+\n\n> .+\n\n/);
  const links = [...text.matchAll(/^- \[.+\]\((\/[^)]*)\)(: .{10,}|)$/gm)];
  expect(links).toHaveLength(text.match(/^- /gm)!.length);
  const paths = links.map(([, path]) => path!);
  expect(paths).toEqual(expect.arrayContaining(['/docs/sdk.md', '/docs/api.md', '/docs/errors.md']));
  for (const path of new Set(paths)) expect((await get(path)).status, path).toBe(200);
  const documents = (await markdownPaths()).filter((path) => path !== '/docs/README.md');
  expect(paths).toEqual(expect.arrayContaining(documents));
});

test('a model that reads only llms.txt finds the tools and the graph among what machines read', async () => {
  const [, machines = ''] = (await fetchText('/llms.txt')).split('\n## ');
  for (const path of ['/mcp', '/mcp/wallets/{network}/{walletId}', '/graphql'])
    expect(machines).toContain(`\`POST ${path}\``);
});

test('each document is Markdown at its own address, and no link of it leads nowhere on the host', async () => {
  const paths = await markdownPaths();
  expect(paths.length).toBeGreaterThan(40);
  for (const path of paths) {
    const answer = await get(path, { headers: { accept: 'text/markdown' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^# \S/);
    const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, to]) => new URL(to!, `http://host${path}`),
    );
    for (const { host, pathname } of targets) if (host === 'host') expect(paths).toContain(pathname);
  }
  const example = await readFile(join(root, 'docs/build-an-adaptor.md'), 'utf8');
  const code = [...example.matchAll(/^```sh\n.*?^```$/gms)].map(([block]) => block);
  const served = await fetchText('/docs/build-an-adaptor.md');
  for (const block of code) expect(served).toContain(block);
});

test('llms-full.txt has every document, within a bound, and compressed for those who take it', async () => {
  const text = await fetchText('/llms-full.txt');
  for (const path of await markdownPaths()) expect(text).toContain(`<!-- ${path} -->\n`);
  expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  expect(Buffer.byteLength(await fetchText('/llms.txt'))).toBeLessThan(50_000);
});

test.each([
  '/llms.txt',
  '/llms-full.txt',
  '/docs/sdk.md',
  '/docs/decisions/README.md',
  '/sitemap.xml',
  '/robots.txt',
  '/.well-known/api-catalog',
  '/opensearch.xml',
])('%s answers HEAD without a body, 304 to those who have it, and 405 to others', async (path) => {
  const full = await get(path, { headers: { 'accept-encoding': 'identity' } });
  const body = await full.arrayBuffer();
  const head = await get(path, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
  expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
  for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
    expect(head.headers.get(name)).toBe(full.headers.get(name));
  }
  expect(head.headers.get('content-length')).toBe(String(body.byteLength));
  const held = await get(path, {
    headers: { 'if-none-match': full.headers.get('etag')!, 'accept-encoding': 'identity' },
  });
  expect(held.status).toBe(304);
  expect((await get(path, { method: 'POST' })).status).toBe(405);
  expect((await get(`${path}x`)).status).toBe(404);
  expect((await get(path, { headers: { accept: 'image/png' } })).status).toBe(406);
});

describe('the sitemap', () => {
  test('has pages that answer, under the public origin or else the host of the request', async () => {
    const locations = [...(await fetchText('/sitemap.xml')).matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, url]) => url!,
    );
    expect(locations).toEqual(
      expect.arrayContaining([`${gateway.url}/`, `${gateway.url}/docs`, `${gateway.url}/docs/sdk.md`]),
    );
    // Pages that require a session would be empty for a crawler.
    const paths = locations.map((url) => new URL(url).pathname);
    const behindSessions = paths.filter((path) => /^\/(operator|runs|webhooks)(\/(?!events)|$)/.test(path));
    expect(behindSessions).toEqual([]);
    expect(locations).toContain(`${gateway.url}/webhooks/events`);
    for (const url of locations) expect((await fetch(url)).status, url).toBe(200);
    const own = await (await fetch(`${named.url}/sitemap.xml`)).text();
    expect(own).toContain(`<loc>${publicUrl}/docs/sdk.md</loc>`);
    expect(own).not.toContain('127.0.0.1');
    expect(await fetchText('/robots.txt')).toContain(`Sitemap: ${gateway.url}/sitemap.xml\n`);
  });

  test('takes no text of a host that is none', async () => {
    const { request } = await import('node:http');
    const { port } = new URL(gateway.url);
    const body = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'a</loc><loc>http://evil.example' };
      request({ port, path: '/sitemap.xml', headers }, async (res) => resolve((await res.toArray()).join('')))
        .on('error', reject)
        .end();
    });
    expect(JSON.parse(body).code).toBe('bad_request');
    expect(body).not.toContain('evil');
  });
});

test('security.txt names the contact of the operator, and is not there without one', async () => {
  expect((await get('/.well-known/security.txt')).status).toBe(404);
  const answer = await fetch(`${named.url}/.well-known/security.txt`);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = (await answer.text()).trimEnd().split('\n');
  const expires = lines.find((line) => line.startsWith('Expires: '))!;
  expect(lines).toEqual([
    `Contact: ${securityContact}`,
    expires,
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    `Policy: ${publicUrl}/docs/report-a-vulnerability`,
  ]);
  const restMs = Date.parse(expires.slice('Expires: '.length)) - Date.now();
  expect(restMs).toBeGreaterThan(170 * 86_400_000);
  expect(restMs).toBeLessThan(366 * 86_400_000);
});

test('a browser finds the search of the catalog in its description', async () => {
  const page = await (await get('/', { headers: { accept: 'text/html' } })).text();
  const [, href] = /<link rel="search"[^>]* href="([^"]+)"/.exec(page)!;
  const description = await fetchText(href!);
  expect(description).toContain(`template="${gateway.url}/?q={searchTerms}"`);
  expect(await (await fetch(named.url + href)).text()).toContain(`template="${publicUrl}/?q={searchTerms}"`);
});

test('the API catalog is a linkset whose links all answer, and HEAD names it', async () => {
  const answer = await fetch(`${gateway.url}/.well-known/api-catalog`, { method: 'HEAD' });
  expect(answer.headers.get('link')).toBe('</.well-known/api-catalog>; rel="api-catalog"');
  expect(answer.headers.get('content-type')).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  );
  const { linkset } = JSON.parse(await fetchText('/.well-known/api-catalog'));
  expect(linkset[0]).toEqual({
    anchor: `${gateway.url}/.well-known/api-catalog`,
    item: ['/api/adaptors', '/graphql', '/mcp'].map((path) => ({ href: gateway.url + path })),
  });
  for (const { anchor, item: _item, ...relations } of linkset) {
    expect(anchor).toMatch(/^http/);
    for (const { href, type } of Object.values<{ href: string; type: string }[]>(relations).flat()) {
      const linked = await fetch(href, { headers: { accept: type } });
      expect([href, linked.status, linked.headers.get('content-type')!.split(';')[0]]).toEqual([
        href,
        200,
        type,
      ]);
    }
  }
  const own = await (await fetch(`${named.url}/.well-known/api-catalog`)).json();
  expect(JSON.stringify(own)).not.toContain('127.0.0.1');
});

test('prepared bytes are compressed once and are the same when read', async () => {
  const { port } = new URL(gateway.url);
  const { get: httpGet } = await import('node:http');
  const bytes = await new Promise<Buffer>((resolve) => {
    httpGet({ port, path: '/docs/api.md', headers: { 'accept-encoding': 'gzip' } }, async (res) => {
      expect(res.headers['content-encoding']).toBe('gzip');
      resolve(Buffer.concat(await res.toArray()));
    });
  });
  expect(gunzipSync(bytes).toString()).toBe(await fetchText('/docs/api.md'));
});

test('the landing page leads to what programs read', async () => {
  const html = await (await get('/', { headers: { accept: 'text/html' } })).text();
  for (const path of ['/llms.txt', '/llms-full.txt', '/.well-known/api-catalog', '/sitemap.xml']) {
    expect(html).toContain(`href="${path}"`);
  }
});

test('docs/api.md has every operation of the API, with a request', async () => {
  const { paths } = await (await get('/api/adaptors/openapi.json')).json();
  const text = await fetchText('/docs/api.md');
  for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      expect(text).toContain(`\`${method.toUpperCase()} ${path}\`, operation id \`${operationId}\`.`);
    }
  }
  expect(text.match(/^```bash$/gm)!.length).toBe(text.match(/^### /gm)!.length);
});
