import {
  briefCertificate,
  type Certificate,
  type Claim,
  verdictMeanings,
} from '@adaptor-marketplace/adaptor/certify';
import { beforeAll, expect, test } from 'vitest';
import { addCertifiedPackages, recordCertificates } from '../../../db/queries/certificates.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const [analysis, wording] = [1, 1];
const call = { typeArgs: [], args: [] };
const op = (entry: string) => ({ kind: 'pay', module: 'jar', entry, call });
const buildServiceType = (packageId: string) => `${packageId}::adaptor::Witness`;

const [own, venue, large] = [address(0xf1), address(0xf2), address(0xf3)];
const [unread, pending] = [address(0xf4), address(0xf5)];
/** The low addresses above count as packages of the framework, which sentences do not name in short. */
const other = `0x${'ab'.repeat(32)}`;
const publisher = address(0xc1);

const takes: Claim = {
  kind: 'takes',
  verdict: 'may',
  source: { kind: 'argument', parameter: 0 },
  type: `0x${'2'.padStart(64, '0')}::sui::SUI`,
  bounds: [{ kind: 'all' }],
  repeated: false,
  evidence: [
    [
      [0, 4],
      [1, 7],
    ],
  ],
};
const reads: Claim = {
  kind: 'touches',
  verdict: 'may',
  access: 'reads',
  path: `${other}::pool::Pool.fee`,
  evidence: Array.from({ length: 12 }, (_, at) => [0, at]),
};
const rest = (kind: 'takes' | 'goesTo', verdict: 'cannot' | 'unread'): Claim => ({
  kind,
  verdict,
  rest: true,
});

function certify(
  packageId: string,
  name: string,
  functions = [`${packageId}::jar::${name}`, `${packageId}::jar::pull`],
) {
  const version = { originalId: packageId, id: packageId, version: '1' };
  const certificate: Certificate = {
    analysis,
    package: version,
    module: 'jar',
    function: name,
    parameters: ['u64'],
    closure: [version, { originalId: other, id: address(0xf6), version: '2' }],
    claims: [reads, takes, rest('takes', 'cannot'), rest('goesTo', 'unread')],
    functions,
    writers: [],
    authorities: [],
  };
  const bytes = Buffer.byteLength(JSON.stringify(certificate));
  return { hash: `hash of ${name}`, certificate, bytes, brief: briefCertificate(certificate) };
}

const severalCalls = {
  ...op('tip'),
  call: undefined,
  calls: [
    { module: 'jar', entry: 'tip', ...call },
    { packageId: venue, module: 'pool', entry: 'swap', ...call },
  ],
};
const largeNames = Array.from({ length: 20 }, (_, at) => `f${String(at).padStart(2, '0')}`);

const gateway = useTestGateway(async (seed) => {
  const list = (packageId: string, ops: unknown[]) =>
    seed.listing({ serviceType: buildServiceType(packageId), publisher, manifest: { ops } });
  await seed.source({ checkpoint: 900 });
  const notExecutable = { kind: 'pay', module: 'jar', entry: 'never' };
  await list(own, [op('tip'), notExecutable, severalCalls, op('absent')]);
  await list(large, largeNames.map(op));
  await list(unread, [op('huge'), op('small')]);
  await list(pending, [op('tip')]);
});
beforeAll(async () => {
  const { pool } = gateway.db;
  const packages = [own, large, unread, pending].map((packageId) => ({ packageId, publisher }));
  await inTransaction(pool, (client) => addCertifiedPackages(client, network, packages));
  const state = 'computed';
  const certificates = [certify(own, 'tip'), certify(own, 'uncalled')];
  await recordCertificates(pool, network, own, { state, analysis, wording, certificates });
  const long = ['0x1::jar::tip', '0x1::jar::pull', 'x'.repeat(250_000)];
  const longs = largeNames.map((name) => certify(large, name, long));
  await recordCertificates(pool, network, large, { state, analysis, wording, certificates: longs });
  const reason = 'One is too large.';
  const small = [certify(unread, 'small')];
  const some = { state: 'unread' as const, reason, analysis, wording, certificates: small };
  await recordCertificates(pool, network, unread, some);
});

const get = (packageId: string, query = '') =>
  fetch(`${gateway.url}/api/adaptors/${encodeURIComponent(buildServiceType(packageId))}/certificate${query}`);
const read = async (packageId: string, query?: string) => {
  const answer = await get(packageId, query);
  expect(answer.status).toBe(200);
  return await answer.json();
};

test('each function that the ops call has its certificate, and sentences that lead to its claims', async () => {
  const body = await read(own, '?include=claims');
  expect(body).toMatchObject({ packageId: own, state: 'computed', analysis, reason: null, count: 3 });
  const [absent, tip, swap] = body.functions;
  expect(tip).toMatchObject({
    packageId: own,
    module: 'jar',
    function: 'tip',
    ops: [0, 2],
    state: 'computed',
  });
  const { hash, certificate } = certify(own, 'tip');
  expect(tip).toMatchObject({ hash, certificate, sentenceCount: 4 });
  const { claims } = tip.certificate;
  expect(tip.sentences.flatMap((sentence: { claims: number[] }) => sentence.claims)).toEqual([1, 2, 3, 0]);
  for (const { kind, verdict, text, claims: positions } of tip.sentences) {
    expect(claims[positions[0]]).toMatchObject({ kind, verdict });
    expect(text).not.toBe('');
  }
  expect(tip.analysis).toBe(analysis);
  const none = { state: 'unread', hash: null, analysis: null, certificate: null, sentences: [] };
  expect(absent).toMatchObject({ ...none, ops: [3], reason: expect.stringContaining('no such function') });
  expect(swap).toMatchObject({
    ...none,
    packageId: venue,
    ops: [2],
    reason: expect.stringContaining('No listing'),
  });
});

test('a package without all certificates says why, for the functions that have none', async () => {
  const reason = 'One is too large.';
  expect(await read(unread)).toMatchObject({
    state: 'unread',
    reason,
    functions: [
      { function: 'huge', state: 'unread', reason, certificate: null },
      { function: 'small', state: 'computed', reason: null, hash: 'hash of small' },
    ],
  });
  expect(await read(pending)).toMatchObject({
    state: 'pending',
    analysis: null,
    functions: [{ function: 'tip', state: 'pending', reason: null, certificate: null }],
  });
});

test('the graph has the state of the package of each adaptor', async () => {
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: '{ adaptors(first: 10) { edges { node { packageId certificate { state reason analysis } } } } }',
    }),
  });
  const { data, errors } = await answer.json();
  expect(errors).toBeUndefined();
  const edges: { node: { packageId: string; certificate: object } }[] = data.adaptors.edges;
  const states = new Map(edges.map(({ node }) => [node.packageId, node.certificate]));
  expect(states.get(unread)).toEqual({ state: 'UNREAD', reason: 'One is too large.', analysis });
  expect(states.get(pending)).toEqual({ state: 'PENDING', reason: null, analysis: null });
  expect(states.get(large)).toEqual({ state: 'COMPUTED', reason: null, analysis });
});

async function queryGraph(query: string) {
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return await answer.json();
}

test('the graph has the sentences of the called functions, each with the way to its instruction', async () => {
  const { data, errors } =
    await queryGraph(`{ adaptor(chain: TESTNET, serviceType: "${buildServiceType(own)}") {
    certificate { hasMoreFunctions functions { module name operations state reason hash sentenceCount
      packages { name packageId originalId version }
      sentences(first: 2) { kind verdict text path { function instruction } } } } } }`);
  expect(errors).toBeUndefined();
  expect(data.adaptor.certificate.hasMoreFunctions).toBe(false);
  const [absent, tip, swap] = data.adaptor.certificate.functions;
  expect(absent).toMatchObject({ name: 'absent', operations: [3], state: 'UNREAD', sentences: [] });
  expect(absent.reason).toContain('no such function');
  expect(swap).toMatchObject({ name: 'swap', state: 'UNREAD', hash: null });
  expect(tip).toMatchObject({ name: 'tip', operations: [0, 2], state: 'COMPUTED', hash: 'hash of tip' });
  expect(tip.sentenceCount).toBe(4);
  expect(tip.packages).toEqual([{ name: '@P1', packageId: address(0xf6), originalId: other, version: '2' }]);
  expect(tip.sentences).toMatchObject([
    {
      kind: 'takes',
      verdict: 'may',
      path: [
        { function: `${own}::jar::tip`, instruction: 4 },
        { function: `${own}::jar::pull`, instruction: 7 },
      ],
    },
    { kind: 'takes', verdict: 'cannot', path: [] },
  ]);
});

test('the graph and REST name the same functions, also of an op that does not fit its function', async () => {
  const { pool } = gateway.db;
  const misfit = { code: 'function_mismatch', detail: 'The package has no such function.', index: 3 };
  await pool.query(
    `update catalog_entries set op_misfits = jsonb_build_array($2::jsonb || jsonb_build_object('manifestHash', manifest_hash))
      where service_type = $1`,
    [buildServiceType(own), JSON.stringify(misfit)],
  );
  const { data } = await queryGraph(
    `{ adaptor(serviceType: "${buildServiceType(own)}") { certificate { functions { name operations } } } }`,
  );
  const rest = (await read(own)).functions as { function: string; ops: number[] }[];
  expect(data.adaptor.certificate.functions).toEqual(
    rest.map(({ function: name, ops: operations }) => ({ name, operations })),
  );
});

test('the sentences of a page of adaptors cost more than a query may, and each adaptor has those of ten functions', async () => {
  const select = 'certificate { functions { sentences(first: 1) { text } } }';
  const { data } = await queryGraph(
    `{ adaptor(chain: TESTNET, serviceType: "${buildServiceType(large)}") { ${select} } }`,
  );
  expect(data.adaptor.certificate.functions).toHaveLength(10);
  const { errors } = await queryGraph(`{ adaptors(first: 20) { edges { node { ${select} } } } }`);
  expect(errors[0].extensions.code).toBe('query_too_large');
});

test('the page of an adaptor states its certificates apart from the words of its publisher', async () => {
  const readPage = async (packageId: string) => {
    const answer = await fetch(
      `${gateway.url}/a/testnet/${encodeURIComponent(buildServiceType(packageId))}`,
      {
        headers: { accept: 'text/html' },
      },
    );
    expect(answer.status).toBe(200);
    return await answer.text();
  };
  const page = await readPage(own);
  expect(page).toContain('What the code can do');
  expect(page).toContain('Takes 0x2::sui::SUI from argument 1 (u64): all of it.');
  expect(page).toContain('Show me');
  expect(page).toMatch(/certificate\?network=testnet&(amp;)?publisher=0x/);
  expect(page).toMatch(/…[0-9a-f]{4}::jar::pull<\/bdi><\/code>, instruction 7/);
  expect(page).toContain('Reads @P1::pool::Pool.fee.');
  expect(page).toContain(`@P1 is <code>${address(0xf6)}</code>`);
  expect(page).toContain('8 earlier calls are in the JSON.');
  for (const meaning of Object.values(verdictMeanings)) expect(page).toContain(meaning);
  expect(page.indexOf('Takes 0x2::sui::SUI')).toBeLessThan(page.indexOf('Details: checks, reads and writes'));
  expect(page).toContain('no such function');
  expect(page).toContain('does not cover');
  expect(await readPage(pending)).toContain('not analyzed yet');
  expect(await readPage(unread)).toContain('One is too large.');
  const largePage = await readPage(large);
  expect(largePage).toContain('more functions than these 10');
  expect(Buffer.byteLength(largePage)).toBeLessThan(60_000);
});

test('certificates come in pages of at most 4 MB, each function once', async () => {
  const pages: string[][] = [];
  for (let query: string | undefined = '?limit=20&include=claims'; query; ) {
    const { functions, nextCursor, count } = await read(large, query);
    expect(functions).toHaveLength(count);
    pages.push(functions.map((one: { function: string }) => one.function));
    query = nextCursor && `?limit=20&include=claims&cursor=${nextCursor}`;
  }
  expect(pages.map((page) => page.length)).toEqual([15, 5]);
  expect(pages.flat()).toEqual(largeNames);
  expect((await read(large)).count).toBe(10);
  const { functions, nextCursor } = await read(large, '?limit=20');
  expect([functions.length, nextCursor]).toEqual([20, undefined]);
  const { certificate, hash, sentences } = functions[0];
  expect({ certificate, hash }).toEqual({ certificate: null, hash: 'hash of f00' });
  expect(sentences).toHaveLength(4);
});

test('the answer has a tag that changes with the certificates', async () => {
  const first = await get(own);
  const etag = first.headers.get('etag')!;
  expect((await fetch(first.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const certificates = [{ ...certify(own, 'tip'), hash: 'another' }];
  await recordCertificates(gateway.db.pool, network, own, {
    state: 'computed',
    analysis: 2,
    wording,
    certificates,
  });
  const later = await fetch(first.url, { headers: { 'if-none-match': etag } });
  expect(await later.json()).toMatchObject({ analysis: 2 });
});

test.each(['limit=0', 'limit=21', 'include=all', 'cursor=abc', 'cursor=WzFd'])(
  '?%s is refused',
  async (query) => {
    expect((await get(own, `?${query}`)).status).toBe(400);
  },
);
