import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { quarantine } from '../../../db/queries/catalog/quarantines.ts';
import { schema } from '../../../graphql/schema.ts';
import { problems } from '../../../lib/errors/problems.ts';
import { webhookEvents } from '../../../lib/webhooks/subscriptions.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { listOperations } from '../openapi/components.ts';
import { createOpenApiDocument } from '../openapi/document.ts';
import { routes } from '../routes.ts';
import { loadGuides } from './guides.ts';

const script = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
const turned = 'Reef\u202etluav\u200b';
/** Coins of two packages with one symbol. */
const bridges = [7, 8].map((at) => `0x${String(at).repeat(64)}::bridge::BRIDGE`);
/** Documents that the code makes, and that of the local network, whose tables its conformance suites write. */
const long = new Set(['/docs', '/docs/errors', '/docs/localnet', '/docs/settings', '/docs/tables']);
const gateway = useTestGateway(
  async (seed) => {
    await seed.listing({ manifest: { name: script, summary: script, integrator: script } });
    await seed.listing({ manifest: { name: turned, summary: turned } });
    await seed.listing({ manifest: { supportedCoins: bridges } });
  },
  { network: testPackages },
);

async function getPage(path: string) {
  const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(answer.status).toBe(200);
  return { html: await answer.text(), policy: answer.headers.get('content-security-policy')!, answer };
}

/** Texts of the elements of one name that stand inline. */
const inline = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, 'g'))].map(([, text]) => text!);

test.each([
  '/',
  '/docs',
  '/docs/api/getAdaptor',
  '/graphql',
  '/graphql/schema',
  '/errors',
  '/errors/not_found',
])('nothing that a publisher wrote can run on %s', async (path) => {
  const { html, policy } = await getPage(path);
  expect(html).not.toContain(script);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/script-src[^;]*(unsafe-inline|unsafe-eval|https?:|\*)/);
  for (const text of inline(html, 'script')) {
    expect(policy).toContain(createHash('sha256').update(text).digest('base64'));
  }
  expect(html).not.toMatch(/ on[a-z]+="/);
});

test('every page of a guide is below 60 kB', async () => {
  const sizes: [href: string, bytes: number][] = [];
  for (const { href } of (await loadGuides(createOpenApiDocument(routes))).documents) {
    const { html } = await getPage(href);
    sizes.push([href, Buffer.byteLength(html)]);
  }
  expect(sizes.length).toBeGreaterThan(50);
  expect(sizes.filter(([href, bytes]) => bytes >= 60_000 && !long.has(href))).toEqual([]);
});

test.each([
  ['/status', 200, 'Last 24 hours', 'networks'],
  ['/errors/nope', 404, 'What to do', 'code'],
  ['/nothing', 404, 'What to do', 'code'],
])('a browser gets %s as a page, and a program as JSON', async (path, status, words, field) => {
  const read = (accept: string) => fetch(gateway.url + path, { headers: { accept } });
  const page = await read('text/html,application/xhtml+xml,*/*;q=0.8');
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain(words);
  for (const accept of ['*/*', 'application/json']) {
    const json = await read(accept);
    expect([json.status, await json.json()]).toEqual([
      status,
      expect.objectContaining({ [field]: expect.anything() }),
    ]);
  }
});

test.each([
  ['/docs/sdk', /^# /],
  ['/docs/decisions', /^# /],
  ['/docs/errors', /^# /],
  ['/docs/guides', /^# /],
])(
  'a caller that prefers Markdown gets %s as Markdown, and one that accepts anything as a page',
  async (path, begin) => {
    const read = (accept: string) => fetch(gateway.url + path, { headers: { accept } });
    for (const accept of ['text/markdown', 'text/markdown, text/html;q=0.9, */*;q=0.1']) {
      const answer = await read(accept);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(await answer.text()).toMatch(begin);
    }
    expect((await read('*/*')).headers.get('content-type')).toBe('text/html; charset=utf-8');
  },
);

test('the report of a listing that is not there says where to find it, and an error shows code as code', async () => {
  const report = await fetch(`${gateway.url}/report?service=0x2::no::No`);
  expect(report.status).toBe(404);
  const html = await report.text();
  expect(html).toContain('No such listing on testnet');
  expect(html).not.toContain('<form id="report"');
  const error = await fetch(`${gateway.url}/nothing`, { headers: { accept: 'text/html' } });
  expect(await error.text()).toContain('API reference at <code>/docs</code>');
});

test('the page of an id that is wrong, or is not there, says what to do with the address', async () => {
  const read = async (path: string) => {
    const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html' } });
    return [answer.status, await answer.text()] as const;
  };
  const [wrong, refused] = await read('/jobs/xyz');
  expect(wrong).toBe(400);
  expect(refused).toContain('Correct the id in the address of the page.');
  const [absent, unknown] = await read('/agents/0x1');
  expect(absent).toBe(404);
  expect(unknown).toContain('that an id in it is of this network');
  const [unlisted, grant] = await read('/wallet/grant?service=0x2::no::No');
  expect(unlisted).toBe(404);
  expect(grant).toContain('The catalog of testnet shows no such adaptor');
  expect(grant).toContain('<a href="/wallet?network=testnet">');
});

test.each([
  ['Reef', '<li class="card">'],
  ['0x2::no::No', 'No adaptor'],
  ['<script>alert(1)</script>', '&lt;script>alert(1)'],
  ['x'.repeat(1_000), 'No adaptor'],
])(
  'the page of the adaptor %s, which is not there, says what an id looks like and leads to a search',
  async (word, found) => {
    const path = `/a/testnet/${encodeURIComponent(word)}`;
    const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(404);
    const html = await answer.text();
    expect(html).toContain('What to do');
    expect(html).toContain('<code>0x2::swap::Swap</code>');
    expect(html).not.toContain('<script>alert(1)');
    const [, link] = /<a href="([^"]*)">Search the catalog for it/.exec(html)!;
    const search = await fetch(gateway.url + link!.replaceAll('&amp;', '&'), {
      headers: { accept: 'text/html' },
    });
    expect(search.status).toBe(200);
    expect(await search.text()).toContain(found);
  },
);

test('the adaptors of a publisher have headings below that of their list', async () => {
  const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors?q=Reef`)).json();
  const { html } = await getPage(`/p/${adaptors[0].publisher}`);
  expect(html.match(/<h2[^>]*>Adaptors<\/h2>/)).not.toBeNull();
  expect(html).toMatch(/<li class="card">.*?<h3><a href="\/a\/testnet\//s);
});

test('filters of coins with one symbol are distinguished, and each says how many adaptors it matches', async () => {
  const { html } = await getPage('/');
  for (const bridge of bridges) {
    const [, name] = new RegExp(
      `title="${bridge}"[^>]*><bdi>([^<]*)</bdi> <span class="muted">1</span>`,
    ).exec(html)!;
    expect(name).toMatch(/^BRIDGE of 0x/);
  }
  const names = [...html.matchAll(/<bdi>(BRIDGE of [^<]*)<\/bdi>/g)].map(([, name]) => name);
  expect(new Set(names).size).toBe(bridges.length);
});

test.each(['', '/wallet/grant?network=testnet&service='])(
  'a page at "%s" of an adaptor hides nothing of its name, not even in its title',
  async (path) => {
    const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors?q=Reef`)).json();
    const [{ serviceType }] = adaptors;
    const { html } = await getPage(path === '' ? `/a/testnet/${serviceType}` : path + serviceType);
    expect(html).toMatch(/<title>[^<]*Reef\[U\+202E\]tluav\[U\+200B\]/);
    expect(html).not.toMatch(/[\u202e\u200b]/);
  },
);

test('the page that grants links to the section of the listing that says what the code can do', async () => {
  const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors?q=Reef`)).json();
  const [{ serviceType }] = adaptors;
  const { html } = await getPage(`/wallet/grant?network=testnet&service=${serviceType}`);
  const [, path] = /<a href="([^"]+)#certificate">What the code can do<\/a>/.exec(html)!;
  expect(path).toBe(`/a/testnet/${serviceType}`);
  expect((await getPage(path!)).html).toContain('id="certificate"');
});

test('the listing of a second verified publisher leads to a grant for itself, and back', async () => {
  const serviceType = `0x${'5'.repeat(64)}::two::Two`;
  const [first, second] = [`0x${'6'.repeat(64)}`, `0x${'7'.repeat(64)}`];
  await gateway.seed.listing({ serviceType, publisher: first, manifest: { name: 'First' } });
  await gateway.seed.listing({ serviceType, publisher: second, manifest: { name: 'Second' } });
  const grant = `/wallet/grant?${new URLSearchParams({ network: 'testnet', service: serviceType })}`;
  const read = async (path: string) => (await getPage(path)).html.replaceAll('&amp;', '&');
  const listing = `/a/testnet/${serviceType}`;
  expect(await read(listing)).toContain(`href="${grant}">Use this adaptor`);
  const own = `?publisher=${second}`;
  expect(await read(`${listing}${own}`)).toContain(`href="${grant}&publisher=${second}">Use this adaptor`);
  const page = await read(`${grant}&publisher=${second}`);
  expect(page).toContain('Use <bdi>Second</bdi>');
  expect(page).toContain(`href="${listing}${own}">Read its listing`);
});

test('the card of a second verified publisher leads to its own listing', async () => {
  const serviceType = `0x${'c'.repeat(64)}::card::Card`;
  const publishers = [`0x${'6'.repeat(64)}`, `0x${'7'.repeat(64)}`];
  for (const publisher of publishers)
    await gateway.seed.listing({ serviceType, publisher, manifest: { name: 'Twofold' } });
  const { html } = await getPage('/?include=unverified&q=twofold');
  const links = [...html.matchAll(/<h2><a href="([^"]*)">/g)].map(([, href]) => href);
  expect(links.toSorted()).toEqual(
    publishers.map((publisher) => `/a/testnet/${serviceType}?publisher=${publisher}`),
  );
  const { html: shown } = await getPage('/?q=twofold');
  expect(shown).toContain(`<h2><a href="/a/testnet/${serviceType}">`);
});

test('a listing in quarantine has a page with the reason in place of what it offers, and no grant', async () => {
  const listing = await gateway.seed.listing({ manifest: { name: 'Drainer' } });
  const subject = listing.serviceType;
  const { network } = listing;
  const reason = `${script} ${turned}`;
  await quarantine(gateway.db.pool, { network, subject, reason, operator: 'Ada' });
  for (const path of [`/a/testnet/${subject}`, `/wallet/grant?network=testnet&service=${subject}`]) {
    const { html } = await getPage(path);
    expect(html).toContain('In quarantine: do not grant to it');
    expect(html).toContain('&lt;script>alert(1)');
    expect(html).not.toContain(script);
    expect(html).not.toMatch(/[\u202e\u200b]/);
    expect(html).not.toContain('Use this adaptor');
    expect(html).not.toContain('id="granting"');
  }
});

test.each(['/webhooks/..%2f..%2fkeys', '/webhooks/wh_', '/runs/..%2fkeys', '/runs/x'])(
  '%s is not a page: its script would put the id into a path of the API',
  async (path) => {
    const answer = await fetch(gateway.url + path, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await answer.text()).not.toContain('/assets/webhooks-');
  },
);

test.each(['/', '/errors', '/graphql'])('%s keeps its policy where it has not changed', async (path) => {
  const { answer, policy } = await getPage(path);
  const headers = { accept: 'text/html', 'if-none-match': answer.headers.get('etag')! };
  const again = await fetch(gateway.url + path, { headers });
  expect([again.status, again.headers.get('content-security-policy')]).toEqual([304, policy]);
});

test('a catalog opened in a browser is data, not a page', async () => {
  const answer = await fetch(`${gateway.url}/api/adaptors`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await answer.text()).toContain('alert(1)');
});

test.each(['/docs/api/listAdaptors', '/graphql'])(
  '%s needs nothing from elsewhere: every file that it names is here',
  async (path) => {
    const { html } = await getPage(path);
    const files = [...html.matchAll(/<(?:link|script)[^>]*(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const answer = await fetch(gateway.url + file);
      expect(answer.status).toBe(200);
      const types: Record<string, string> = {
        css: 'text/css',
        svg: 'image/svg+xml',
        xml: 'application/opensearchdescription+xml',
        js: 'text/javascript',
      };
      expect(answer.headers.get('content-type')).toContain(types[file.split('.').at(-1)!]);
      expect((await answer.text()).length).toBeGreaterThan(50);
    }
  },
);

test('pages of webhooks say without script what each event has in it, and what turns webhooks on', async () => {
  const { html } = await getPage('/webhooks/events');
  const text = html.replaceAll('&quot;', '"');
  for (const name of [...webhookEvents, 'Test']) expect(text).toContain(`"event": "${name}"`);
  for (const path of ['/webhooks', '/webhooks/wh_8sQm2Kd1']) {
    const page = await getPage(path);
    expect(page.html).toContain('<code>REDIS_URL</code>');
    expect(page.html).not.toContain('/assets/webhooks-');
  }
});

test('a program that asks the graph for nothing gets an answer, not a page', async () => {
  const answer = await fetch(`${gateway.url}/graphql`);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('vary')).toBe('accept');
  expect((await answer.arrayBuffer()).byteLength).toBeLessThan(1_000);
});

test("the page of the graph's schema has a section for each type, and no link of it leads nowhere", async () => {
  const { html } = await getPage('/graphql/schema');
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const own = Object.keys(schema.getTypeMap()).filter(
    (name) => !/^(__|String$|Int$|Float$|Boolean$|ID$)/.test(name),
  );
  expect(ids).toEqual(expect.arrayContaining(own));
  const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(200);
  for (const link of links) expect(ids).toContain(link);
});

describe('the API reference', () => {
  const operations = listOperations(createOpenApiDocument(routes));
  const toPlain = (html: string) =>
    html
      .slice(html.indexOf('<main'))
      .replace(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&');

  test('leads from its overview to a page for every operation, which is readable without script', async () => {
    const overview = (await getPage('/docs')).html;
    expect(operations.length).toBeGreaterThan(40);
    for (const { path, method, operation } of operations) {
      const href = `/docs/api/${operation.operationId}`;
      expect(overview).toContain(`<a href="${href}">`);
      const { html } = await getPage(href);
      const plain = toPlain(html);
      expect(plain).toContain(method.toUpperCase() + path);
      expect(plain).toContain(operation.summary!.replaceAll('`', ''));
      expect(plain).toContain(`curl`);
      expect(plain).toContain(gateway.url);
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, id] of html.matchAll(/(?:aria-labelledby|aria-describedby| for)="([^"]+)"/g))
        expect([href, ids]).toEqual([href, expect.arrayContaining([id])]);
      const labelled = [...html.matchAll(/<label [^>]*for="([^"]+)"/g)].map(([, id]) => id);
      for (const [field, id] of html.matchAll(/<(?:input|select|textarea) [^>]*?\bid="([^"]+)"/g))
        expect([href, field, labelled.filter((one) => one === id).length]).toEqual([href, field, 1]);
      const levels = [...html.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
      expect(levels[0]).toBe(1);
      for (const [at, level] of levels.slice(1).entries()) expect(level - levels[at]!).toBeLessThanOrEqual(1);
      expect([href, Buffer.byteLength(html) < 60_000]).toEqual([href, true]);
    }
  });

  test('shows values of this host in the request, and a key only where one is needed', async () => {
    const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors`)).json();
    const types = adaptors.map(({ serviceType }: { serviceType: string }) => serviceType);
    const { html } = await getPage('/docs/api/getAdaptor');
    expect(types.some((type: string) => html.includes(`${gateway.url}/api/adaptors/${type}'`))).toBe(true);
    expect(html).not.toContain('credential-value');
    const hook = (await getPage('/docs/api/createWebhook')).html;
    expect(hook).toContain('x-api-key: $API_KEY');
    expect(hook).toContain('type="password"');
  });

  test('answers at the former address of the whole document, and for an operation that does not exist', async () => {
    const former = await fetch(`${gateway.url}/docs/api`, { redirect: 'manual' });
    expect([former.status, former.headers.get('location')]).toEqual([308, '/docs']);
    const headers = { accept: 'text/html' };
    expect((await fetch(`${gateway.url}/docs/api/nothing`, { headers })).status).toBe(404);
    expect((await fetch(`${gateway.url}/docs/swagger-ui.css`)).status).toBe(404);
  });
});

describe('the pages of errors', () => {
  const json = { headers: { accept: 'application/json' } };

  test('the type of a problem leads to the page of its code', async () => {
    const { type } = await (await fetch(`${gateway.url}/api/adaptors?limit=x`)).json();
    const { html, answer } = await getPage(type);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('vary')).toBe('accept, accept-encoding');
    expect(html).toContain('Code <code>invalid_query</code>, HTTP status 400.');
    expect(html).toContain('<code>errors</code> lists');
    // A caller that takes anything gets the page too.
    expect((await fetch(gateway.url + type)).headers.get('content-type')).toContain('text/html');
  });

  test.each(['text/html', 'application/json'])(
    'a copy as %s that is still valid keeps the headers by which a cache selects it',
    async (accept) => {
      const url = `${gateway.url}/errors/invalid_query`;
      const first = await fetch(url, { headers: { accept } });
      const held = { accept, 'if-none-match': first.headers.get('etag')! };
      const again = await fetch(url, { headers: held });
      expect([again.status, again.headers.get('vary')]).toEqual([304, first.headers.get('vary')]);
    },
  );

  test('each says the same as JSON, for callers that ask for it', async () => {
    const answer = await fetch(`${gateway.url}/errors/too_many_streams`, json);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toEqual({
      code: 'too_many_streams',
      type: '/errors/too_many_streams',
      statuses: [429, 503],
      title: 'Too many streams',
      retryAfterSeconds: 10,
      meaning: expect.stringContaining('(503)'),
      whatToDo: expect.stringContaining('connect again'),
    });
  });

  test('the index links to the page of every code', async () => {
    const { html } = await getPage('/errors');
    const links = [...html.matchAll(/href="\/errors\/(\w+)"/g)].map(([, code]) => code!);
    expect(links.toSorted()).toEqual(Object.keys(problems).toSorted());
    const { count, errors } = await (await fetch(`${gateway.url}/errors`, json)).json();
    expect(count).toBe(links.length);
    expect(errors.map(({ code }: { code: string }) => code).toSorted()).toEqual(links.toSorted());
  });

  test('an unknown code is not found, and another form is not acceptable', async () => {
    const unknown = await fetch(`${gateway.url}/errors/<script>`);
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(await unknown.json()).toMatchObject({ code: 'not_found' });
    const image = await fetch(`${gateway.url}/errors/not_found`, { headers: { accept: 'image/png' } });
    expect(image.status).toBe(406);
  });
});

test('the rules that fit the graph into a phone and the frame name parts that GraphiQL has', async () => {
  const [style, editor] = await Promise.all(
    ['css', 'js'].map(async (type) => (await fetch(`${gateway.url}/graphql/graphiql.${type}`)).text()),
  );
  const own = style!.slice(style!.indexOf('main:has(> #graphiql)'));
  const names = [...own.matchAll(/\.(graphiql-[a-z-]+)/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(10);
  // The editor makes the names of modes from their words.
  for (const name of new Set(names).difference(new Set(['graphiql-light', 'graphiql-dark'])))
    expect(editor).toContain(name);
});

test('the explorer is in the frame of the site, and says what to do without script', async () => {
  const { html, policy } = await getPage('/graphql');
  for (const part of [
    '<header class="site">',
    '<footer class="site">',
    '<noscript>',
    'href="/graphql/schema"',
  ])
    expect(html).toContain(part);
  expect(policy).not.toContain('blob:');
  const other = (await getPage('/')).policy;
  expect(other).toContain("style-src 'self';");
  expect(other).not.toContain('worker-src');
});

test.each(['/', '/docs', '/graphql', '/errors'])('%s has an icon that it may show', async (path) => {
  const { html, policy } = await getPage(path);
  expect(html).toContain('<link rel="icon" href="/favicon.svg"');
  expect(policy).toMatch(/img-src[^;]*'self'/);
});

test('the picture for links to an adaptor is a PNG, whatever its name is', async () => {
  const { adaptors } = await (await fetch(`${gateway.url}/api/adaptors`)).json();
  const [{ serviceType }] = adaptors;
  const answer = await fetch(`${gateway.url}/og/testnet/${serviceType}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(
    Buffer.from(await answer.arrayBuffer())
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  const { html } = await getPage(`/a/testnet/${serviceType}`);
  expect(html).toContain(`<meta property="og:image" content="${gateway.url}/og/testnet/${serviceType}"`);
  expect((await fetch(`${gateway.url}/og/testnet/0x2::no::No`)).status).toBe(404);
  const catalog = await getPage('/');
  expect(catalog.html).toContain(`<meta property="og:image" content="${gateway.url}/og/catalog"`);
  expect((await fetch(`${gateway.url}/og/catalog`)).headers.get('content-type')).toBe('image/png');
});

test('an icon is there where browsers look for it by themselves', async () => {
  const answer = await fetch(`${gateway.url}/favicon.ico`, {
    headers: { accept: 'image/avif,image/webp,*/*;q=0.8' },
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const [count, size, length, offset] = [
    bytes.readUInt16LE(4),
    bytes.readUInt8(6),
    bytes.readUInt32LE(14),
    bytes.readUInt32LE(18),
  ];
  expect([count, size, offset + length]).toEqual([1, 32, bytes.byteLength]);
  expect(bytes.readUInt32LE(offset)).toBe(40);
});

test('every link of the frame leads somewhere', async () => {
  const { html } = await getPage('/');
  const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'));
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) {
    const answer = await fetch(gateway.url + link, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([link, answer.status]).toEqual([link, 200]);
    await answer.arrayBuffer();
  }
});
