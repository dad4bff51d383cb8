import { Session } from 'node:inspector/promises';
import { type GraphQLError, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRequest } from '../../../test/support/build-request.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';
import { namesSeen, spyOnStatements } from '../../../test/support/statements.ts';

const session = new Session();
/** Work of the largest useful query: the introspection of the whole schema by tools. */
let useful: number;

const gateway = useTestGateway(
  async (seed) => {
    for (const name of ['registry', 'wallet', 'rules', 'agents', 'escrow']) await seed.source({ name });
    await seed.listing();
  },
  { network: testPackages },
);
beforeAll(async () => {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const introspection = getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true });
  const { data, work } = await ask({ query: introspection });
  expect(data.__schema).toBeTruthy();
  useful = work;
});
afterAll(async () => {
  session.disconnect();
});

interface Question {
  query: string;
  variables?: Readonly<Record<string, unknown>>;
}

/**
 * Returns how often functions, branches and bodies of loops ran since the last call. This does not depend on the speed
 * of the machine.
 */
async function takeWork(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let work = 0;
  for (const { functions } of result) {
    for (const { ranges } of functions) for (const { count } of ranges) work += count;
  }
  return work;
}

async function ask(question: Question) {
  const request = buildRequest(question, { accept: 'application/json' });
  const query = spyOnStatements();
  await takeWork();
  const answer = await fetch(`${gateway.url}/graphql`, request);
  const text = await answer.text();
  const work = await takeWork();
  const statements = namesSeen(query);
  query.mockRestore();
  return { status: answer.status, bytes: request.body!.length, work, statements, ...JSON.parse(text) };
}

const times = (count: number, part: (n: number) => string, separator = ' ') =>
  Array.from({ length: count }, (_, n) => part(n)).join(separator);

/** Returns nested selections: from an adaptor through its publisher to the adaptors of its listings, and on. */
const around = (rounds: number, copies: number, end: string): string => {
  if (rounds === 0) return end;
  const inside = around(rounds - 1, copies, end);
  return `listings(first: 1) { edges { node { adaptor { ${times(copies, (n) => `p${n}: publishedBy { ${inside} }`)} } } } }`;
};

const fragments = (count: number, type: string, body: (n: number) => string) =>
  times(count, (n) => `fragment F${n} on ${type} { ${body(n)} }`, '\n');

const list = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const adaptorId = btoa(`Adaptor:${JSON.stringify(['testnet', `${address(0x99)}::a::A`, address(1)])}`);

const hostile: [string, Question, string | undefined][] = [
  ['deep', { query: `{ adaptors ${times(300, () => '{ edges { node')} ` }, 'invalid_query'],
  [
    'deep in relations',
    { query: `{ publishers { edges { node { ${around(5, 1, 'address')} } } } }` },
    'query_too_large',
  ],
  [
    'deep in selections without fields',
    { query: `{ ${times(300, () => '... {')} __typename ${times(300, () => '}')} }` },
    undefined,
  ],
  ['wide', { query: `{ ${times(9_000, (n) => `field${n}`)} }` }, 'invalid_query'],
  ['wide with one field', { query: `{ ${times(990, () => '__typename')} }` }, 'invalid_query'],
  [
    'wide with fields that do not exist',
    { query: `{ ${times(900, (n) => `adaptorz${n}`)} }` },
    'invalid_query',
  ],
  [
    'wide in nested fields of one name',
    { query: `{ ${times(45, () => `sources { ${times(16, () => 'name')} }`)} }` },
    'invalid_query',
  ],
  ['aliased', { query: `{ ${times(300, (n) => `a${n}: __typename`)} }` }, 'query_too_large'],
  [
    'aliased in each level',
    { query: `{ publishers { edges { node { ${around(2, 5, 'address')} } } } }` },
    'query_too_large',
  ],
  [
    'circular',
    { query: '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }' },
    'invalid_query',
  ],
  ['circular by itself', { query: '{ ...A } fragment A on Query { ...A ...A ...A }' }, 'invalid_query'],
  [
    'circular through fields',
    {
      query: `{ publishers { edges { node { ...P } } } }
      fragment P on Publisher { listings { edges { node { adaptor { publishedBy { ...P a: address ...P } } } } } }`,
    },
    'invalid_query',
  ],
  [
    'of fragments that double',
    {
      query: `{ ...F0 } ${fragments(60, 'Query', (n) => `...F${n + 1} ...F${n + 1}`)} fragment F60 on Query { ${times(5, (n) => `a${n}: adaptors(first: 100) { edges { node { serviceType } } }`)} }`,
    },
    'query_too_large',
  ],
  [
    'of fragments that spread all that follow',
    {
      query: `{ ...F0 } ${fragments(25, 'Query', (n) => `${times(24 - n, (m) => `...F${n + m + 1}`)} __typename`)}`,
    },
    'query_too_large',
  ],
  [
    'of fragments with many reads',
    {
      query: `{ ...A ...B } ${['A', 'B'].map((name) => `fragment ${name} on Query { ${times(8, (n) => `${name}${n}: adaptors(first: 1) { totalCount }`)} }`).join(' ')}`,
    },
    'query_too_large',
  ],
  [
    'of many operations over one chain of fragments',
    {
      query: `${times(90, (n) => `query Q${n} { ...F0 }`)} ${fragments(45, 'Query', (n) => (n === 44 ? '__typename' : `...F${n + 1}`))}`,
    },
    'invalid_query',
  ],
  ['of directives', { query: `{ ${times(100, () => '__typename @skip(if: false)')} }` }, 'query_too_large'],
  ['of comments', { query: '#\n'.repeat(33_000) }, 'invalid_query'],
  ['of commas', { query: ','.repeat(99_000) }, 'invalid_query'],
  ['of one name', { query: `{ ${'x'.repeat(98_000)} }` }, 'invalid_query'],
  [
    'of one text',
    { query: `{ adaptors(filter: { q: "${'x'.repeat(98_000)}" }) { totalCount } }` },
    'invalid_argument',
  ],
  [
    'of one text with many lines',
    { query: `{ adaptors(filter: { q: """${'\n  x'.repeat(19_000)}""" }) { totalCount } }` },
    'invalid_argument',
  ],
  ['of nested input objects', { query: `{ adaptors(filter: ${'{ a: '.repeat(16_000)}` }, 'invalid_query'],
  [
    'of nested lists',
    { query: `{ nodes(ids: ${'['.repeat(450)}${']'.repeat(450)}) { id } }` },
    'invalid_query',
  ],
  [
    'of questions about the schema',
    { query: `{ __schema { types { ${'fields { type { '.repeat(4)} name ${'} }'.repeat(4)} } } }` },
    'invalid_query',
  ],
  [
    'of variables',
    { query: `query (${times(240, (n) => `$v${n}: Int`)}) { __typename }`, variables: { v0: 1 } },
    'invalid_query',
  ],
  [
    'whose variables have thousands of faults',
    {
      query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      variables: { ids: list(20_000, {}) },
    },
    'invalid_query',
  ],
  [
    'whose variables have thousands of unknown fields',
    {
      query: 'query ($filter: AdaptorFilter) { adaptors(filter: $filter) { totalCount } }',
      variables: {
        filter: Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`serviceType${n}`, 1])),
      },
    },
    'invalid_query',
  ],
  [
    'whose variables are nested',
    {
      query: 'query ($filter: AdaptorFilter) { adaptors(filter: $filter) { totalCount } }',
      variables: {
        filter: {
          serviceTypes: Array.from({ length: 250 }, () => JSON.parse('['.repeat(55) + ']'.repeat(55))),
        },
      },
    },
    'invalid_query',
  ],
  [
    'whose variables nobody defines',
    { query: '{ adaptors(first: 101) { totalCount } }', variables: { unused: list(16_000, 'x') } },
    'invalid_argument',
  ],
  [
    'with thousands of ids that are none',
    { query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', variables: { ids: list(16_000, 'eA') } },
    'invalid_argument',
  ],
  [
    'with hundreds of ids',
    { query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', variables: { ids: list(400, adaptorId) } },
    'invalid_argument',
  ],
  [
    'that waits a hundred times, with a long list',
    {
      query: `query ($ids: [ID!]!) { ${times(90, () => '_meta(atLeastCheckpoint: 0) { checkpoint }')} nodes(ids: $ids) { id } }`,
      variables: { ids: list(16_000, 'eA') },
    },
    'invalid_argument',
  ],
  [
    'with a list of thousands of filters in each row',
    {
      query: `query ($in: [String!]) { adaptors { edges { node {
        ${times(8, (n) => `a${n}: attestations(filter: { attester: { in: $in } }) { edges { node { score } } }`)} } } } }`,
      variables: { in: list(16_000, 'x') },
    },
    'invalid_argument',
  ],
];

test.each(hostile)(
  'a document %s is refused by typed errors, or answered, in bounded work',
  async (_, question, code) => {
    const { errors = [], bytes, work, statements } = await ask(question);
    expect(bytes).toBeLessThan(100_000);
    expect(new Set(errors.map(({ extensions }: GraphQLError) => extensions.code))).toEqual(
      new Set(code === undefined ? [] : [code]),
    );
    expect(errors.length).toBeLessThanOrEqual(101);
    // Fields of one name are compared in pairs, which takes three to thirteen times as much work. The factor depends on
    // how much code was compiled before its branches were counted. Work without a bound takes a hundred times and more.
    expect(work).toBeLessThan(20 * useful);
    expect(statements.length).toBeLessThanOrEqual(1);
  },
);
