import { expect, onTestFinished, test } from 'vitest';
import { buildRequest } from '../../../test/support/build-request.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, useTestGateway } from '../../../test/support/gateway.ts';

const gateway = useTestGateway(async (seed) => {
  await seed.source();
  await seed.source({ name: 'wallet', checkpoint: 5 });
});

async function ask(query: string, variables: Record<string, unknown> = {}) {
  const answer = await fetch(`${gateway.url}/graphql`, buildRequest({ query, variables }));
  return JSON.parse(await answer.text());
}

const index = (checkpoint: number) =>
  gateway.db.pool.query(
    "with s as (update sources set checkpoint = $1) select pg_notify('indexed', 'testnet')",
    [checkpoint],
  );

test('an answer says how far each source was indexed, and what it was weighed with', async () => {
  const { data, extensions } = await ask(
    '{ _meta { chain checkpoint sources { name checkpoint } } adaptors(first: 5) { edges { cursor } } }',
  );
  expect(data._meta).toEqual({
    chain: 'TESTNET',
    checkpoint: 5,
    sources: [
      { name: 'registry', checkpoint: 7 },
      { name: 'wallet', checkpoint: 5 },
    ],
  });
  expect(extensions.cost).toEqual({ fields: 35, fieldsMax: 20_000, reads: 2, readsMax: 10 });
});

test.each([
  ['a list by day has its days', 'usageByDay(days: 100) { day }', 7, 101],
  ['a list by day has those of its variable', 'usageByDay(days: $days) { day }', 7, 8],
  ['the same document with another variable', 'usageByDay(days: $days) { day }', 366, 367],
  ['ratings by day have 30 days', 'ratingsByDay { day }', 7, 31],
  ['a day has twenty coins', 'usageByDay(days: 2) { coins { coin } }', 7, 1 + 2 * (1 + 20)],
  ['days beyond the bound count as the most', 'usageByDay(days: $days) { day }', 400, 367],
])('the cost of a query counts what its answer may have: %s', async (_, field, days, fields) => {
  const declared = field.includes('$days') ? '($days: Int)' : '';
  const query = `query ${declared} { adaptor(serviceType: "0x2::a::A") { ${field} } }`;
  const { extensions } = await ask(query, { days });
  expect(extensions.cost.fields).toBe(1 + fields);
});

test('a year of coins of many adaptors is refused before it is read', async () => {
  const { errors } = await ask(
    '{ adaptors(first: 5) { edges { node { usageByDay(days: 366) { coins { coin actions coinInfo { symbol } } } } } } }',
  );
  expect(errors[0].extensions.code).toBe('query_too_large');
});

test('a query waits until all sources have come as far as it says, and then reads', async () => {
  let isDone = false;
  const asked = ask(
    `query ($at: Count) { sources { checkpoint } ...M }
      fragment M on Query { _meta(atLeastCheckpoint: $at) { checkpoint } }`,
    { at: 20 },
  ).then((answer) => {
    isDone = true;
    return answer;
  });
  await index(19);
  await eventually(async () => {
    expect((await ask('{ _meta { checkpoint } }')).data._meta.checkpoint).toBe(19);
  });
  expect(isDone).toBe(false);
  await index(20);
  expect((await asked).data).toEqual({
    sources: [{ checkpoint: 20 }, { checkpoint: 20 }],
    _meta: { checkpoint: 20 },
  });
});

test('a query that names sources waits for these alone', async () => {
  await gateway.db.pool.query("update sources set checkpoint = 30 where name = 'registry'");
  await gateway.db.pool.query("select pg_notify('indexed', 'testnet')");
  const { data } = await ask('{ _meta(atLeastCheckpoint: 30, sources: [REGISTRY]) { checkpoint } }');
  expect(data._meta).toEqual({ checkpoint: 20 });
});

test.each([
  '_meta(sources: [ESCROW]) { checkpoint }',
  '_meta(atLeastCheckpoint: 9000, sources: [REGISTRY, ESCROW]) { checkpoint }',
])('%s: a source that is not indexed is refused, and not waited for', async (meta) => {
  const { errors } = await ask(`{ ${meta} }`);
  expect([errors[0].extensions.code, errors[0].path]).toEqual(['not_configured', ['_meta']]);
});

test.each([
  '_meta(atLeastCheckpoint: 9000) @skip(if: true) { checkpoint }',
  '_meta(atLeastCheckpoint: 9000) @include(if: $no) { checkpoint }',
  '... @skip(if: $yes) { _meta(atLeastCheckpoint: 9000) { checkpoint } }',
  '...M @include(if: false)',
])('%s: what is left out is not waited for', async (meta) => {
  const query = `query ($yes: Boolean = true, $no: Boolean = false) { sources { name } ${meta} extra: __typename @skip(if: $yes)
    more: __typename @include(if: $no) ${meta.startsWith('...M') ? '' : '...M @skip(if: true)'} }
    fragment M on Query { other: _meta(atLeastCheckpoint: 9000) { checkpoint } }`;
  const { data, errors } = await ask(query, {});
  expect(errors).toBeUndefined();
  expect(Object.keys(data)).toEqual(['sources']);
});

test.each([
  ['-1.5', 'invalid_query'],
  ['"x"', 'invalid_query'],
])('a checkpoint %s is refused', async (checkpoint, code) => {
  const { errors } = await ask(`{ _meta(atLeastCheckpoint: ${checkpoint}) { checkpoint } }`);
  expect(errors[0].extensions.code).toBe(code);
});

test('a network that is not served is refused at its field', async () => {
  const { errors } = await ask('{ m: _meta(chain: MAINNET, atLeastCheckpoint: 1) { checkpoint } }');
  expect([errors[0].extensions.code, errors[0].path]).toEqual(['network_not_configured', ['m']]);
});

test('a caller that takes its share of the waits is refused, and others still wait and read', async () => {
  const waiting = await startTestGateway((seed) => seed.source(), { trustProxy: 1 });
  onTestFinished(() => waiting.close());
  const send = async (from: string) => {
    const answer = await fetch(
      `${waiting.url}/graphql`,
      buildRequest({ query: '{ _meta(atLeastCheckpoint: 50) { checkpoint } }' }, { 'x-forwarded-for': from }),
    );
    const { status, headers } = answer;
    return { status, retryAfter: headers.get('retry-after'), body: await answer.json() };
  };
  // Addresses of one /64 are one caller. The queries beyond its share are refused while the others wait.
  const refused: Awaited<ReturnType<typeof send>>[] = [];
  const sent = Array.from({ length: 25 }, (_, n) =>
    send(`2001:db8:0:1::${n}`).then((answer) => {
      if (answer.status !== 200) refused.push(answer);
      return answer;
    }),
  );
  await eventually(() => expect(refused).toHaveLength(5));
  for (const { status, retryAfter, body } of refused)
    expect([status, retryAfter, body.code]).toEqual([429, '2', 'too_many_waiting']);
  const other = send('2001:db8:0:2::1');
  await waiting.db.pool.query(
    "with s as (update sources set checkpoint = 50) select pg_notify('indexed', 'testnet')",
  );
  expect((await other).body.data._meta.checkpoint).toBe(50);
  const answers = await Promise.all(sent);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect((await send('2001:db8:0:1::1')).body.data._meta.checkpoint).toBe(50);
});
