import { beforeAll, expect, test } from 'vitest';
import { type CanaryResult, recordCanary } from '../../../db/queries/canaries/record.ts';
import type { CanaryOutcome, CanaryState } from '../../../lib/canaries/judge.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const [publisher, stranger] = [address(0xa1), address(0xa2)];
const [used, fresh, unverified] = [0xb1, 0xb2, 0xb3].map((id) => `${address(id)}::jar::Jar`) as [
  string,
  string,
  string,
];

const gateway = useTestGateway(async (seed) => {
  await seed.source({ checkpoint: 900 });
  const manifest = { name: 'Jar', ops: [{ kind: 'pay', module: 'jar', entry: 'tip' }] };
  for (const serviceType of [used, fresh]) await seed.listing({ serviceType, publisher, manifest });
  await seed.listing({
    serviceType: unverified,
    publisher: stranger,
    manifest,
    row: { publisherCheck: 'unverified' },
  });
});

const outcome = (amount: string, failure: string | null): CanaryOutcome => ({
  amount,
  failure,
  gas: '1976000',
  coinIn: '0x2::sui::SUI',
  coinOut: null,
  taken: '0',
  brought: '0',
});
const result = (
  op: string,
  position: number,
  state: CanaryState,
  ...outcomes: CanaryOutcome[]
): CanaryResult => ({
  op,
  position,
  state,
  formerState: undefined,
  everWorked: true,
  untried: null,
  runs: [{ at: 1_769_860_800_000, checkpoint: 900, version: 1, outcomes }],
});
const asked: CanaryResult = {
  ...result('jar::open', 2, 'unproven'),
  runs: [],
  everWorked: false,
  untried: 'It needs a value that only its caller knows.',
};

beforeAll(async () => {
  const { pool } = gateway.db;
  const key = { network, serviceType: used, publisher, version: 1 };
  const results = [
    result('jar::tip', 0, 'up', outcome('5', null), outcome('50', null)),
    result('jar::tip#2', 1, 'degraded', outcome('5', null), outcome('50', 'E<b>')),
    asked,
    ...Array.from({ length: 29 }, (_, at) =>
      result(`jar::many_${at}`, at + 3, 'down', ...['5', '50', '95'].map((size) => outcome(size, 'EPaused'))),
    ),
  ];
  await recordCanary(pool, key, results, 600);
  await pool.query(
    `insert into canary_days select network, service_type, publisher, op, day - nth, 143, nth from canary_days
      cross join generate_series(1, 89) nth`,
  );
});

const read = async (serviceType: string, query = '') => {
  const answer = await fetch(
    `${gateway.url}/api/adaptors/${encodeURIComponent(serviceType)}/canaries${query}`,
  );
  return { status: answer.status, body: await answer.json() };
};

test('REST has the state of each operation, its last results and its days', async () => {
  const { status, body } = await read(used);
  expect(status).toBe(200);
  expect(body).toMatchObject({ network, serviceType: used, publisher, ranAtMs: expect.any(Number) });
  expect(body.ops).toHaveLength(32);
  const [tip, second, open] = body.ops;
  const day = { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), worked: 2, failed: 0 };
  expect(tip).toMatchObject({ op: 'jar::tip', position: 0, state: 'up', untried: null });
  expect(tip.sinceMs).toBeGreaterThan(1_700_000_000_000);
  expect(tip.runs[0].outcomes).toEqual([outcome('5', null), outcome('50', null)]);
  expect(tip.days).toHaveLength(30);
  expect(tip.days.at(-1)).toEqual(day);
  expect(second.runs[0].outcomes[1]).toMatchObject({ failure: 'E<b>' });
  expect(open).toMatchObject({
    state: 'unproven',
    untried: asked.untried,
    triedAtMs: null,
    runs: [],
    days: [],
  });
  expect((await read(used, '?days=90')).body.ops[0].days).toHaveLength(90);
});

test('a listing that was not simulated, or is not, has no operations', async () => {
  const none = { ranAtMs: null, ops: [] };
  expect((await read(fresh)).body).toMatchObject(none);
  expect((await read(unverified)).body).toMatchObject(none);
  expect((await read(`${address(9)}::a::A`)).status).toBe(404);
});

test('the graph has the same with the last results, and null for what is not simulated', async () => {
  const fields =
    'canary(days: 2) { ranAtMs operations { name position state untried outcomes { amount failure } days { worked failed } } }';
  const query = `{ used: adaptor(chain: TESTNET, serviceType: "${used}") { ${fields} }
    unverified: adaptor(chain: TESTNET, serviceType: "${unverified}", publisher: "${stranger}") { ${fields} } }`;
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await answer.json();
  expect(errors).toBeUndefined();
  expect(data.unverified.canary).toBeNull();
  expect(data.used.canary.operations).toHaveLength(32);
  expect(data.used.canary.operations[1]).toEqual({
    name: 'jar::tip#2',
    position: 1,
    state: 'DEGRADED',
    untried: null,
    outcomes: [
      { amount: '5', failure: null },
      { amount: '50', failure: 'E<b>' },
    ],
    days: [
      { worked: 143, failed: 1 },
      { worked: 1, failed: 1 },
    ],
  });
});

test('analysts read the states and the days', async () => {
  const { rows } = await gateway.db.pool.query(
    `select op, state, outcomes -> 1 ->> 'failure' as failure, (select count(*)::int from analytics.canary_days d where d.op = o.op) as days
      from analytics.canary_ops o order by position limit 3`,
  );
  expect(rows).toEqual([
    { op: 'jar::tip', state: 'up', failure: null, days: 90 },
    { op: 'jar::tip#2', state: 'degraded', failure: 'E<b>', days: 90 },
    { op: 'jar::open', state: 'unproven', failure: null, days: 0 },
  ]);
});

const readPage = async (serviceType: string, query = '') =>
  await (await fetch(`${gateway.url}/a/${network}/${serviceType}${query}`)).text();

test('the page has states with their age, bars with a table of the same numbers, and says that it is not safety', async () => {
  const page = await readPage(used);
  const text = page.replace(/<[^>]*>/g, '');
  expect(text).toContain('A simulation shows life, not safety');
  expect(text).toContain('works for 2 amounts');
  expect(text).toContain('fails for 1 of 2 amounts: E&lt;b>');
  expect(text).toContain('It needs a value that only its caller knows.');
  expect(page).toContain('Simulated calls a day');
  expect(page).toContain('/canaries?');
  expect(page.length).toBeLessThan(60_000);
  expect(await readPage(fresh)).toContain('Not simulated yet');
});

test('the history of the simulations has ranges, apart from those of the use', async () => {
  const readCounts = async (query: string) => {
    const page = await readPage(used, query);
    expect(page).toContain('&amp;simulated=7#canaries" data-part="canaries"');
    const part = page.slice(page.indexOf('<section'), page.indexOf('id="use"'));
    return [/data-count="(\d+)"/.exec(part)![1], /worked in (\d+) days/.exec(part)![1]];
  };
  expect(await readCounts('?days=30')).toEqual(['90', '90']);
  expect(await readCounts('?days=30&simulated=7')).toEqual(['7', '7']);
  expect(await readCounts('?days=30&simulated=8')).toEqual(['90', '90']);
});
