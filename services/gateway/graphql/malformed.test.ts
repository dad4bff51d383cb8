import { beforeAll, describe, expect, test } from 'vitest';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { queryGraph } from '../../../test/support/graph-queries.ts';
import { fillWholeModel, type WholeModel } from '../../../test/support/whole-model.ts';

let { listings } = {} as WholeModel;

const gateway = useTestGateway(undefined, { network: testPackages });
beforeAll(async () => {
  ({ listings } = await fillWholeModel(gateway));
});

const ask = (query: string) => queryGraph(gateway.url, query);

describe('what is malformed is refused at its field, with the path of the argument', () => {
  const adaptor = (fields: string) =>
    `{ good: sources { name } adaptor(serviceType: "SERVICE") { ${fields} } }`;
  test.each([
    ['a cursor', adaptor('versions(after: "abc") { totalCount }'), 'bad_cursor', 'adaptor.versions', 'after'],
    [
      'a cursor of the end',
      adaptor('actions(last: 1, before: "W10") { totalCount }'),
      'bad_cursor',
      'adaptor.actions',
      'before',
    ],
    [
      'a cursor of the catalog',
      '{ adaptors(before: "abc") { totalCount } }',
      'bad_cursor',
      'adaptors',
      'before',
    ],
    [
      'a page size',
      adaptor('attestations(first: 0) { totalCount }'),
      'invalid_argument',
      'adaptor.attestations',
      'first',
    ],
    [
      'both ends',
      adaptor('attestations(first: 1, last: 1) { totalCount }'),
      'invalid_argument',
      'adaptor.attestations',
      'first',
    ],
    [
      'an address',
      adaptor('attestations(filter: { attester: { in: ["0x1", "bob"] } }) { totalCount }'),
      'invalid_argument',
      'adaptor.attestations',
      'filter.attester.in.1',
    ],
    [
      'a filter without a condition',
      adaptor('attestations(filter: { attester: {} }) { totalCount }'),
      'invalid_argument',
      'adaptor.attestations',
      'filter.attester',
    ],
    [
      'a range',
      adaptor('actions(checkpoint: { gte: 5, lt: 4 }) { totalCount }'),
      'invalid_argument',
      'adaptor.actions',
      'checkpoint.lt',
    ],
    [
      'a time',
      '{ registryEvents(filter: { timestampMs: { gte: -1 } }) { totalCount } }',
      'invalid_argument',
      'registryEvents',
      'filter.timestampMs.gte',
    ],
    ['days', adaptor('usageByDay(days: 1000) { day }'), 'invalid_argument', 'adaptor.usageByDay', 'days'],
    ['an id', `{ node(id: "${btoa('Wallet:["testnet","bob"]')}") { id } }`, 'invalid_argument', 'node', 'id'],
    ['an id that is empty', '{ node(id: "") { id } }', 'invalid_argument', 'node', 'id'],
    [
      'an id of a type without ids',
      `{ node(id: "${btoa('Query:["testnet","0x1"]')}") { id } }`,
      ...(['invalid_argument', 'node', 'id'] as const),
    ],
    [
      'an id of no type',
      `{ nodes(ids: ["${btoa('Nope:["testnet","0x1"]')}"]) { id } }`,
      ...(['invalid_argument', 'nodes', 'id'] as const),
    ],
    [
      'a checkpoint',
      '{ _meta(atLeastCheckpoint: -1) { checkpoint } }',
      ...(['invalid_argument', '_meta', 'atLeastCheckpoint'] as const),
    ],
    ['one of many ids', `{ nodes(ids: ["${btoa('Job:{}')}"]) { id } }`, 'invalid_argument', 'nodes', 'id'],
    [
      'two networks',
      '{ agents(chain: TESTNET, network: mainnet) { totalCount } }',
      'invalid_argument',
      'agents',
      'network',
    ],
    [
      'a service type among others',
      '{ adaptors(filter: { serviceTypes: ["x"] }) { totalCount } }',
      'invalid_argument',
      'adaptors',
      'filter.serviceTypes.0',
    ],
    ['U+0000 in a name', '{ integrator(name: "\\u0000") { id } }', 'invalid_argument', 'integrator', 'name'],
  ])('%s', async (_, query, code, field, argument) => {
    const { errors } = await ask(query.replace('SERVICE', listings[0]!.serviceType));
    expect(errors).toHaveLength(1);
    const { path, extensions } = errors![0]!;
    expect([extensions.code, path?.join('.')]).toEqual([code, field]);
    expect(extensions.errors?.map((row) => row.path)).toContain(argument);
  });

  test('of two cursors of the catalog, the one that is wrong is named', async () => {
    const { data } = await ask('{ adaptors(first: 1) { pageInfo { endCursor } } }');
    const { endCursor } = (data as { adaptors: { pageInfo: { endCursor: string } } }).adaptors.pageInfo;
    const { errors } = await ask(`{ adaptors(after: "${endCursor}", before: "abc") { totalCount } }`);
    expect(errors?.[0]?.extensions.errors?.map(({ path }) => path)).toEqual(['before']);
  });

  test('an integer that JavaScript would round is refused at its place', async () => {
    const query = '{ registryEvents(filter: { timestampMs: { gte: 9007199254740993 } }) { totalCount } }';
    const { errors } = await ask(query);
    expect(errors).toMatchObject([
      {
        message: 'expected an integer below 2^53',
        locations: [{ line: 1, column: query.indexOf('9007') + 1 }],
      },
    ]);
  });

  test('a wrong cursor does not fail the same field beside it', async () => {
    const { data, errors } = await ask(`{ adaptor(serviceType: "${listings[0]!.serviceType}") { publishedBy {
      good: listings { totalCount } } attestations { totalCount } } bad: wallets(owner: "0x1", after: "x") { totalCount } }`);
    expect(errors?.[0]?.path).toEqual(['bad']);
    expect(data).toBe(null);
  });
});

test('a listing whose service type has no canonical form, because it is too long, is found by its id', async () => {
  const serviceType = `0x${'7'.repeat(64)}::${'a'.repeat(128)}::${'W'.repeat(128)}`;
  await gateway.seed.listing({ serviceType });
  const { data } = await ask(`{ listing(serviceType: "${serviceType}") { id } }`);
  const { id } = (data as { listing: { id: string } }).listing;
  const found = await ask(`{ node(id: "${id}") { ... on Listing { serviceType } } }`);
  expect(found).toMatchObject({ data: { node: { serviceType } } });
});
