import { getOperationAST, parse } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findStatement, listStatements } from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway, testPackages } from '../../../test/support/gateway.ts';
import { namesSeen, spyOnStatements, statementsSeen } from '../../../test/support/statements.ts';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway((seed) => seed.listing(), { network: testPackages });
});
afterEach(() => gateway.close());

const ask = (query: string, signal?: AbortSignal) =>
  fetch(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, signal && { signal });

/** Reads the number of queries of the graph, or of their statements, that run or wait. */
async function load(what: string, state: string): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(new RegExp(`graph_load{what="${what}",state="${state}"} (\\d+)`).exec(text)?.[1]);
}

/** Blocks all reads of the catalog until the returned function is called. */
async function holdCatalog() {
  const client = await gateway.db.pool.connect();
  await client.query('begin; lock table catalog_entries in access exclusive mode');
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

test('REST is answered while the graph waits for the database with all that it may', async () => {
  const letGo = await holdCatalog();
  let answered = 0;
  const asked = Array.from({ length: 20 }, async () => {
    const answer = await ask('{ adaptors { totalCount } again: adaptors { totalCount } }');
    answered += 1;
    return await answer.json();
  });
  await eventually(async () => expect(await load('statements', 'waiting')).toBe(15));
  expect([await load('statements', 'running'), await load('queries', 'waiting')]).toEqual([1, 4]);

  expect((await fetch(`${gateway.url}/api/agent-services`)).status).toBe(200);
  expect((await fetch(`${gateway.url}/api/policy/rules`)).status).toBe(200);
  expect(answered).toBe(0);
  await letGo();
  for (const { data } of await Promise.all(asked)) {
    expect(data).toEqual({ adaptors: { totalCount: 1 }, again: { totalCount: 1 } });
  }
  await eventually(async () => expect(await load('queries', 'running')).toBe(0));
  expect(await load('statements', 'running')).toBe(0);
});

test('a caller who leaves while its query waits leaves the line too', async () => {
  const letGo = await holdCatalog();
  const first = ask('{ adaptors { totalCount } }');
  await eventually(async () => expect(await load('statements', 'running')).toBe(1));
  const leaving = new AbortController();
  const second = ask('{ adaptors { totalCount } }', leaving.signal);
  await eventually(async () => expect(await load('statements', 'waiting')).toBe(1));
  leaving.abort();
  await expect(second).rejects.toThrow();
  await eventually(async () => expect(await load('statements', 'waiting')).toBe(0));
  await letGo();
  expect((await first).status).toBe(200);
});

const [package7, publisher1] = [`0x${'7'.padStart(64, '0')}`, `0x${'1'.padStart(64, '0')}`];
const id = btoa(`Adaptor:${JSON.stringify(['testnet', `${package7}::a::A`, publisher1])}`);
const node = `node(id: "${id}") { id }`;
const adaptor = 'adaptor(serviceType: "0x1::adaptor::Witness")';
const owner = `owner: "0x1"`;

test.each([
  [
    'thirty aliases of one adaptor',
    Array.from({ length: 30 }, (_, n) => `a${n}: ${adaptor} { version }`).join(' '),
  ],
  ['an adaptor by its id', `${node} b: ${node}`],
  [
    'lists',
    `a: adaptors { totalCount } b: adaptors { totalCount } sources { name } rules { edges { cursor } }`,
  ],
  ['a list twice under one name', 'adaptors { totalCount } adaptors { edges { cursor } }'],
  [
    'all of an adaptor',
    `adaptors { edges { node { versions { edges { cursor } } events { edges { cursor } }
      manifest { name summary json ops { kind } } } } } agents { edges { cursor } }`,
  ],
  [
    'all of a wallet',
    `wallets(${owner}) { edges { node { grants { coin } policy { version } delegates { edges { cursor } }
      caps { edges { cursor } } } } } usage(serviceType: "0x1::a::A") { actions }`,
  ],
  [
    'jobs and their wallets',
    `jobs(${owner}) { edges { node { wallet { owner } } } } job(jobId: "0x1") { wallet { owner } }
      wallet(walletId: "0x1") { owner }`,
  ],
  [
    'fragments',
    `...A ...A } fragment A on Query { x: adaptors { ...B } y: adaptors { ...B } }
      fragment B on AdaptorConnection { edges { node { versions { edges { cursor } } } }`,
  ],
])('%s: no query causes more statements than it is weighed with', async (_, fields) => {
  const query = `{ ${fields} }`;
  const spy = spyOnStatements();
  const answer = await (await ask(query)).json();
  const caused = namesSeen(spy).length;
  spy.mockRestore();
  expect(answer.errors).toBeUndefined();
  expect(caused).toBeGreaterThan(0);
  const document = parse(query);
  const weighed = listStatements(schema, document, getOperationAST(document)!);
  expect(weighed.size).toBeGreaterThanOrEqual(caused);
});

test('every field of the query type says which statement answers it', () => {
  const fields = Object.values(schema.getQueryType()!.getFields());
  expect(fields.filter((field) => findStatement(field) === undefined).map(({ name }) => name)).toEqual([]);
});

test('thirty searches are thirty statements, and refused before the first', async () => {
  const spy = spyOnStatements();
  const searched = () => statementsSeen(spy).filter(({ text }) => text.includes('catalog_entries')).length;
  const searches = Array.from(
    { length: 30 },
    (_, n) => `a${n}: adaptors(filter: { q: "x${n}" }) { totalCount }`,
  );
  const { errors } = await (await ask(`{ ${searches.join(' ')} }`)).json();
  expect(errors[0]).toMatchObject({
    message: expect.stringContaining('30'),
    extensions: { code: 'query_too_large' },
  });
  expect(searched()).toBe(0);
  const { data } = await (await ask(`{ ${searches.slice(0, 10).join(' ')} }`)).json();
  expect(data.a9).toEqual({ totalCount: 0 });
  expect(searched()).toBe(10);
  spy.mockRestore();
});
