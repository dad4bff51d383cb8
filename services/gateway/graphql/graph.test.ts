import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { catalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { captureStatements, type GraphAnswer, queryGraph } from '../../../test/support/graph-queries.ts';
import { address, readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import { namesSeen, spyOnStatements, statementsSeen } from '../../../test/support/statements.ts';
import { problem } from '../openapi/parts.ts';

let gateway: TestGateway;
let listings: SeededListing[];
/** A listing of a package that belongs to another publisher. */
let stranger: SeededListing;
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  gateway = await startTestGateway(
    async (seed) => {
      await seed.source();
      listings = [];
      for (let n = 0; n < 5; n++) {
        const listing = await seed.listing({
          manifest: { name: `Adaptor ${n}`, supportedCoins: ['0x2::sui::SUI'] },
          row: { witnessWarnings: n === 0 ? [{ code: 'witness_returned', detail: 'Anyone can.' }] : [] },
        });
        await seed.update(listing, 2);
        await seed.update(listing, 3);
        await seed.attestation(listing.serviceType, address(1), 4);
        listings.push(listing);
      }
      stranger = await seed.listing({ manifest: { name: 'Claimed' }, row: { publisherCheck: 'unverified' } });
      await seed.listing({ manifest: { name: 'Adaptor O' }, row: { publisherCheck: 'unverified' } });
    },
    { log },
  );
});
afterAll(() => gateway.close());

interface Connection<Node> {
  totalCount: number;
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const listNodes = <Node>({ edges }: Connection<Node>) => edges.map(({ node }) => node);

async function post(body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway.url}/graphql`, buildRequest(body, headers));
  return answer;
}

const ask = <Data = unknown>(query: string, variables?: object) =>
  queryGraph<Data>(gateway.url, query, variables);

/** Returns the selection of all fields of a schema. */
function selectAll(schema: unknown): string {
  if (schema instanceof z.ZodNullable) return selectAll(schema.unwrap());
  if (schema instanceof z.ZodArray) return selectAll(schema.element);
  if (!(schema instanceof z.ZodObject)) return '';
  const fields = Object.entries(schema.shape).map(([name, field]) => `${name} ${selectAll(field)}`);
  return `{ ${fields.join(' ')} }`;
}

const differing = {
  manifest: true,
  manifestWarnings: true,
  publishedFields: true,
  notExecutable: true,
  opCoins: true,
} as const;
const everything = `${selectAll(catalogEntry.omit(differing)).slice(1, -1)} manifest { json }`;

test('the graph and REST show the same entries in the same order', async () => {
  for (const [args, query] of [
    ['', ''],
    ['sort: name', 'sort=name'],
    ['filter: { q: "adaptor 3" }', 'q=adaptor+3'],
    ['filter: { q: "adpator swpas" }', 'q=adpator+swpas'],
    ['filter: { alike: "adaptor 0", includeUnverified: true }', 'alike=adaptor+0&include=unverified'],
    ['filter: { coin: "0x02::sui::SUI", publisher: "0xa001" }', 'coin=0x02::sui::SUI&publisher=0xa001'],
  ]) {
    const { data } = await ask<{ adaptors: Connection<{ manifest: { json: unknown } }> }>(
      `{ adaptors(first: 100${args && `, ${args}`}) { totalCount edges { node { ${everything} } } } }`,
    );
    const rest = await (await fetch(`${gateway.url}/api/adaptors?${query}`)).json();
    const nodes = listNodes(data.adaptors).map((node) => ({ ...node, manifest: node.manifest.json }));
    // The graph shows the reasons and the coins at the ops.
    expect(nodes.map((node) => ({ ...node, notExecutable: [], opCoins: [] }))).toEqual(rest.adaptors);
    expect(rest.adaptors.some(({ warnings }: { warnings: unknown[] }) => warnings.length > 0)).toBe(
      query !== 'q=adaptor+3',
    );
    expect(data.adaptors.totalCount).toBe(rest.count);
  }
});

test('walking the pages of a connection yields each adaptor once', async () => {
  const seen: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { data }: GraphAnswer<{ adaptors: Connection<SeededListing> }> = await ask(
      `query ($after: String) { adaptors(first: 2, after: $after, sort: name) {
        edges { node { serviceType } } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    seen.push(...listNodes(data.adaptors).map((node) => node.serviceType));
    more = data.adaptors.pageInfo.hasNextPage;
    after = data.adaptors.pageInfo.endCursor;
  }
  expect(seen).toEqual(listings.map((listing) => listing.serviceType));
});

test("histories of a whole page are two statements, whatever the page's size", async () => {
  const query = (first: number) => `{ adaptors(first: ${first}) { edges { node {
    versions(first: 2) { edges { node { version } } pageInfo { hasNextPage } }
    events(first: 2) { edges { node { name eventId } } } } } } }`;
  expect(await captureStatements(gateway.url, query(1))).toEqual([
    'list-catalog-entries-rank-shown-uncounted',
    'list-versions-of-one',
    'list-events-of-one',
  ]);
  expect(await captureStatements(gateway.url, query(5))).toEqual([
    'list-catalog-entries-rank-shown-uncounted',
    'list-versions',
    'list-events',
  ]);
});

test('adaptors asked for one by one are found in one statement', async () => {
  const fields = listings.map(
    ({ serviceType }, n) => `a${n}: adaptor(serviceType: "${serviceType}") { version }`,
  );
  expect(await captureStatements(gateway.url, `{ ${fields.join(' ')} }`)).toEqual(['find-bare-entries']);
});

test('an adaptor is found by any spelling of its name, with its history newest first, in pages', async () => {
  const { serviceType, publisher } = listings[0]!;
  const short = serviceType.replace(/0x0+/, '0x');
  const page = (after?: string) => `{ adaptor(serviceType: "${short}", publisher: "${publisher}") { id
    versions(first: 2${after ? `, after: "${after}"` : ''}) { edges { node { version } } pageInfo { hasNextPage endCursor } }
    events { edges { node { name } } } } }`;
  interface Page {
    adaptor: { id: string; versions: Connection<{ version: number }>; events: Connection<{ name: string }> };
  }
  const { data } = await ask<Page>(page());
  expect(listNodes(data.adaptor.events).map((node) => node.name)).toEqual([
    'Attested',
    'Updated',
    'Updated',
    'Registered',
  ]);
  const { pageInfo } = data.adaptor.versions;
  expect(listNodes(data.adaptor.versions).map((node) => node.version)).toEqual([3, 2]);
  expect(pageInfo.hasNextPage).toBe(true);
  const rest = await ask<Page>(page(pageInfo.endCursor!));
  expect(rest.data.adaptor.versions.edges).toEqual([{ node: { version: 1 } }]);
  const again = await ask<{ node: unknown }>(
    `{ node(id: "${data.adaptor.id}") { ... on Adaptor { publisher } } }`,
  );
  expect(again.data.node).toEqual({ publisher });
});

test('a listing whose publisher is not verified is in no list unless asked for, and is found by its key, marked', async () => {
  interface Found {
    shown: { totalCount: number };
    all: Connection<{ publisherVerified: boolean; manifest: { name: string } }>;
    byType: null;
    byKey: { id: string; publisherVerified: boolean };
  }
  const { serviceType, publisher } = stranger;
  const { data } = await ask<Found>(`{
    shown: adaptors(filter: { q: "claimed" }) { totalCount }
    all: adaptors(filter: { q: "claimed", includeUnverified: true }) {
      totalCount edges { node { publisherVerified manifest { name } } } }
    byType: adaptor(serviceType: "${serviceType}") { id }
    byKey: adaptor(serviceType: "${serviceType}", publisher: "${publisher}") { id publisherVerified } }`);
  expect(data).toMatchObject({ shown: { totalCount: 0 }, byType: null, byKey: { publisherVerified: false } });
  expect(data.all.totalCount).toBe(1);
  expect(listNodes(data.all)).toEqual([{ publisherVerified: false, manifest: { name: 'Claimed' } }]);
  const again = await ask(
    `{ node(id: "${data.byKey.id}") { ... on Adaptor { publisher publisherVerified } } }`,
  );
  expect(again.data).toEqual({ node: { publisher, publisherVerified: false } });
});

test('what is not there is null, also by its id', async () => {
  const nowhere = btoa(`Adaptor:${JSON.stringify(['testnet', `${address(0x99)}::a::A`, address(1)])}`);
  const { data, errors } = await ask(
    `{ adaptor(serviceType: "0x99::a::A") { version } node(id: "${nowhere}") { id } }`,
  );
  expect([data, errors]).toEqual([{ adaptor: null, node: null }, undefined]);
});

test('a query by GET is answered, and how far the sources have read is part of the graph', async () => {
  const answer = await fetch(
    `${gateway.url}/graphql?query=${encodeURIComponent('{ sources { network name checkpoint } }')}`,
  );
  expect(await answer.json()).toMatchObject({
    data: { sources: [{ network: 'testnet', name: 'registry', checkpoint: 7 }] },
  });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('x-request-id')).toBeTruthy();
});

describe('a hostile document is refused', () => {
  const nested = (depth: number) => `${'{ adaptors { edges '.repeat(depth)}{ cursor }${' } }'.repeat(depth)}`;
  const bomb = [
    ...Array.from({ length: 25 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`),
    'fragment F25 on Query { adaptors(first: 100) { edges { node { serviceType } } } }',
  ].join('\n');
  test.each([
    ['too deep', `{ adaptors { edges { node { ${'manifest { '.repeat(12)} name ${'} '.repeat(12)} } } } }`],
    ['too deep through fragments', `{ ...A } fragment A on Query { ...B } fragment B on Query ${nested(6)}`],
    ['too many tokens', `{ ${'__typename '.repeat(2000)} }`],
    ['too many aliases', `{ ${Array.from({ length: 40 }, (_, n) => `a${n}: __typename`).join(' ')} }`],
    ['too many directives', `{ __typename ${'@skip(if: false) '.repeat(30)} }`],
    [
      'fragments that spread each other without end',
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    ],
    ['a bomb of fragments', `{ ...F0 } ${bomb}`],
    [
      'lists within lists',
      `{ adaptors(first: 100) { edges { node { versions(first: 100) { edges { node { version } } } } } } }`,
    ],
    [
      'introspection within introspection',
      `{ __schema { types { ${'fields { type { '.repeat(10)} name ${'} }'.repeat(10)} } } }`,
    ],
    ['no such field', '{ adaptors { secrets } }'],
    ['not a query', '{ adaptors('],
    ['a mutation', 'mutation { a }'],
    ['first above its bound', '{ adaptors(first: 101) { totalCount } }'],
    ['first below its bound', '{ adaptors(first: -1) { totalCount } }'],
    ['a cursor that is not ours', '{ adaptors(after: "abc") { totalCount } }'],
    ['U+0000 in a search', '{ adaptors(filter: { q: "\\u0000" }) { totalCount } }'],
    ['a service type that is none', '{ adaptor(serviceType: "x") { version } }'],
    ['a network that is not served', '{ adaptors(network: mainnet) { totalCount } }'],
  ])('%s', async (_, query) => {
    const { data, errors } = await ask(query);
    expect(data ?? {}).toEqual(query.includes('adaptor(') ? { adaptor: null } : {});
    expect(errors?.length).toBeGreaterThan(0);
    for (const { message, extensions } of errors!) {
      expect(extensions.code).toMatch(/^[a-z_]+$/);
      expect(extensions.requestId).toBeTruthy();
      expect(message).not.toMatch(/select |node_modules/);
    }
  });

  test('lists within lists, sized by a variable', async () => {
    const query = `query ($n: Int) { adaptors(first: $n) { edges { node { versions(first: $n) { edges { node { version } } } } } } }`;
    expect((await ask(query, { n: 3 })).errors).toBeUndefined();
    expect((await ask(query, { n: 100 })).errors?.[0]?.extensions.code).toBe('query_too_large');
  });

  test('lists within lists, sized by what the document gives a variable', async () => {
    const query = `query ($n: Int = 100) { adaptors(first: $n) { edges { node { versions(first: $n) { edges { node { version } } } } } } }`;
    expect((await ask(query)).errors?.[0]?.extensions.code).toBe('query_too_large');
    expect((await ask(query, { n: 3 })).errors).toBeUndefined();
  });

  test('a mutation by GET', async () => {
    const answer = await fetch(`${gateway.url}/graphql?query=mutation%20%7Ba%7D`);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

test("GraphiQL's own questions about the schema are answered", async () => {
  const { getIntrospectionQuery } = await import('graphql');
  const { data, errors } = await ask<{ __schema: { queryType: { name: string } } }>(
    getIntrospectionQuery({ inputValueDeprecation: true, descriptions: true }),
  );
  expect(errors).toBeUndefined();
  expect(data.__schema.queryType.name).toBe('Query');
});

describe('what is not a query is refused as a problem', () => {
  test.each([
    ['no JSON', '{', {}, 400, 'not_json'],
    ['a batch', '[{"query":"{__typename}"}]', {}, 400, 'not_an_object'],
    [
      'a form',
      'query=%7B__typename%7D',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'unsupported_media_type',
    ],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['more than 100 kB', JSON.stringify({ query: ' '.repeat(100_001) }), {}, 413, 'body_too_large'],
  ])('%s', async (_, body, headers, status, code) => {
    const answer = await post(body, headers);
    expect(problem.parse(await answer.json())).toMatchObject({ status, code });
    expect(answer.status).toBe(status);
  });

  test('an answer in a form that the graph does not speak', async () => {
    const answer = await post({ query: '{ __typename }' }, { accept: 'image/png' });
    expect(problem.parse(await answer.json())).toMatchObject({ status: 406, code: 'not_acceptable' });
  });

  test('another method', async () => {
    const answer = await fetch(`${gateway.url}/graphql`, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
  });
});

test('an error that nobody foresaw is masked for the caller and logged once with the request id', async () => {
  const spy = spyOnStatements().mockImplementation(() => {
    throw new Error('relation "secret" does not exist');
  });
  logged.length = 0;
  const { errors } = await ask('{ adaptors { totalCount } }');
  spy.mockRestore();
  expect(errors?.[0]?.extensions.code).toBe('internal_error');
  expect(JSON.stringify(errors)).not.toContain('secret');
  const requestId = errors![0]!.extensions.requestId;
  expect(logged.filter((line) => line.requestId === requestId)).toHaveLength(1);
});

test('the caller learns what the service does not follow, and the log stays quiet', async () => {
  logged.length = 0;
  const { errors } = await ask('{ agents(first: 1) { edges { node { name } } } }');
  expect(errors?.[0]?.extensions.code).toBe('not_configured');
  expect(logged).toEqual([]);
});

test('a source without events in the graph has none of another source', async () => {
  await gateway.seed.source({ name: 'statements' });
  const { data } = await ask('{ sources { name latestEvents(first: 1) { totalCount edges { cursor } } } }');
  expect(data).toMatchObject({
    sources: [
      { name: 'registry', latestEvents: { edges: [{ cursor: expect.any(String) }] } },
      { name: 'statements', latestEvents: { totalCount: 0, edges: [] } },
    ],
  });
});

test('an entry says which newer version is not verified yet', async () => {
  const { serviceType } = listings[4]!;
  await gateway.db.pool.query(
    "update listings set version = 4, manifest_uri = 'walrus://new', witness_check = 'pending' where service_type = $1",
    [serviceType],
  );
  await readModelBuilder(gateway.db).refresh();
  const { data } = await ask(
    `{ adaptor(serviceType: "${serviceType}") { version pending { version packageId manifestUri state } } }`,
  );
  const packageId = serviceType.split('::')[0];
  expect(data).toEqual({
    adaptor: {
      version: 1,
      pending: { version: 4, packageId, manifestUri: 'walrus://new', state: 'pending' },
    },
  });
});

test('an adaptor that is named by its publisher and its lists are one round trip to the database', async () => {
  const { serviceType, publisher } = await gateway.seed.listing();
  const query = `{ adaptor(serviceType: "${serviceType}", publisher: "${publisher}") { version
    versions(first: 2) { edges { node { version } } } events { edges { node { name } } }
    skipped: actions @skip(if: true) { totalCount } } }`;
  await ask(query);
  const spy = spyOnStatements();
  const { data } = await ask(query);
  const names = namesSeen(spy);
  const connections = new Set(statementsSeen(spy).map(({ connection }) => connection));
  spy.mockRestore();
  expect(data).toMatchObject({
    adaptor: { version: 1, versions: { edges: [{ node: { version: 1 } }] } },
  });
  expect(connections.size).toBe(1);
  expect(names.toSorted()).toEqual([
    'find-bare-entries-of-one',
    'list-events-of-one',
    'list-versions-of-one',
  ]);
});

test('a wrong cursor below an adaptor is refused at its field, and the adaptor is answered', async () => {
  const { serviceType, publisher } = await gateway.seed.listing();
  const { errors } = await ask(`{ adaptor(serviceType: "${serviceType}", publisher: "${publisher}") {
    events(after: "x") { edges { cursor } } } }`);
  expect(errors).toMatchObject([{ path: ['adaptor', 'events'], extensions: { code: 'bad_cursor' } }]);
});
