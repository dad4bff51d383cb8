import { expect, test } from 'vitest';
import { type CanaryResult, recordCanary } from '../../../db/queries/canaries/record.ts';
import { type CanaryState, canaryStates } from '../../../lib/canaries/judge.ts';
import { callTool } from '../../../test/support/call-tool.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { queryGraph } from '../../../test/support/graph-queries.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const publisher = address(0xa1);
/** One listing in each state, and one that is not simulated. */
const types = [...canaryStates, null].map((_, at) => `${address(0xc0 + at)}::jar::Jar`);

const gateway = useTestGateway(async (seed) => {
  await seed.source({ checkpoint: 1 });
  for (const [at, serviceType] of types.entries()) {
    await seed.listing({
      serviceType,
      publisher,
      manifest: { name: `Jar ${at}`, category: at === 2 ? 'Lend' : 'Swap' },
    });
  }
});

const result = (state: CanaryState): CanaryResult => ({
  op: 'jar::tip',
  position: 0,
  state,
  formerState: undefined,
  everWorked: state !== 'unproven',
  untried: null,
  runs: [{ at: 1_769_860_800_000, checkpoint: 1, version: 1, outcomes: [] }],
});

interface Listed {
  serviceType: string;
  canaryState: CanaryState | null;
  canarySinceMs: number | null;
}
const list = async (query: string): Promise<Listed[]> => {
  const response = await fetch(`${gateway.url}/api/adaptors?${query}`);
  expect(response.status).toBe(200);
  return (await response.json()).adaptors;
};
const listTypes = async (query: string) => (await list(query)).map(({ serviceType }) => serviceType).sort();

test('a state shows in the cached catalog once it is stored, and a filter finds the listings that have it', async () => {
  expect((await list('')).map(({ canaryState }) => canaryState)).toEqual(types.map(() => null));
  for (const [at, state] of canaryStates.entries()) {
    const key = { network, serviceType: types[at]!, publisher, version: 1 };
    await recordCanary(gateway.db.pool, key, [result(state)], 600);
  }
  await eventually(async () => {
    const shown = new Map((await list('')).map((entry) => [entry.serviceType, entry]));
    expect(types.map((type) => shown.get(type)!.canaryState)).toEqual([...canaryStates, null]);
    expect(shown.get(types[0]!)!.canarySinceMs).toBeGreaterThan(1_700_000_000_000);
    expect(shown.get(types[4]!)!.canarySinceMs).toBeNull();
  });
  for (const [at, state] of canaryStates.entries())
    for (const sort of ['rank', 'trending', 'recent', 'usage', 'rating', 'updated', 'name'])
      expect(await listTypes(`canary=${state}&sort=${sort}`), `${state} by ${sort}`).toEqual([types[at]]);
  for (const other of ['category=Lend', 'q=jar&category=Lend', 'include=unverified'])
    expect(await listTypes(`canary=down&${other}`), other).toEqual([types[2]]);
  expect(await listTypes('canary=down&category=Swap')).toEqual([]);
  expect((await fetch(`${gateway.url}/api/adaptors?canary=well`)).status).toBe(400);
});

test('the graph has the state and the same filter', async () => {
  const { data } = await queryGraph<{
    adaptors: { totalCount: number; edges: { node: Listed }[] };
  }>(
    gateway.url,
    `{ adaptors(filter: { canary: DEGRADED }) {
      totalCount edges { node { serviceType canaryState canarySinceMs } } } }`,
  );
  const node = { serviceType: types[1], canaryState: 'DEGRADED', canarySinceMs: expect.any(Number) };
  expect(data.adaptors).toEqual({ totalCount: 1, edges: [{ node }] });
});

test('cards name a state that says something, and the site filters by each one', async () => {
  const read = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();
  const catalog = await read('/');
  for (const words of ['Simulations: up', 'Simulations: degraded', 'Simulations: down'])
    expect(catalog.split(words), words).toHaveLength(2);
  expect(catalog).not.toContain('Simulations: unproven');
  for (const state of canaryStates) expect(catalog).toContain(`?canary=${state}`);
  const filtered = await read('/?canary=down');
  expect(filtered).toContain('1 adaptor');
  expect(filtered).toContain('Jar 2');
  expect(await read('/?canary=well')).toContain('5 adaptors');
});

test('the tools for models find listings by their state', async () => {
  const found = await callTool(gateway.url, 'search_adaptors', { canary: 'down' });
  expect(found).toMatchObject({ count: 1 });
  expect(await callTool(gateway.url, 'describe_adaptor', { serviceType: types[1]! })).toMatchObject({
    adaptor: { canaryState: 'degraded' },
  });
});

test('analysts read the state of a listing', async () => {
  const { rows } = await gateway.db.pool.query(
    'select canary_state, canary_since is null as ageless from analytics.adaptors order by service_type',
  );
  expect(rows).toEqual(
    [...canaryStates, null].map((state) => ({ canary_state: state, ageless: state === null })),
  );
});
