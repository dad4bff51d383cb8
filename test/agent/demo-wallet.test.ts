import { afterAll, beforeAll, expect, test } from 'vitest';
import { examples } from '../../lib/actions/examples.ts';
import { effects } from '../support/agent-actions/effects.ts';
import { type Positions, positionsMade, readHoldings } from '../support/agent-actions/holdings.ts';
import { type ActionRequests, actionRequests, type Fields } from '../support/agent-actions/requests.ts';
import { executorKey, readSteps, type TestAgent } from '../support/agent-world.ts';
import { type DemoTools, startDemoAgent, startDemoTools } from '../support/demo-tools.ts';

let world: DemoTools;
/** The agent has the default limits of an operator. */
let agent: Pick<TestAgent, 'ask' | 'close'>;
let ask: ActionRequests;
let key: Record<string, string>;
let positions: Positions = {};

beforeAll(async () => {
  world = await startDemoTools();
  agent = await startDemoAgent(world);
  ask = actionRequests(world);
  key = await executorKey(agent, world.demo.owner.walletId);
});
afterAll(async () => {
  await agent?.close();
  await world?.close();
});

async function run(fields: Fields) {
  const { address: owner, walletId } = world.demo.owner;
  const headers = { 'content-type': 'application/json', ...key };
  const body = JSON.stringify({ owner, walletId, network: 'testnet', ...fields });
  return readSteps(await agent.ask('/api/agent/run', { method: 'POST', headers, body }));
}

test("the demo's own wallet runs each of the twenty actions in a day, with the default limits", async () => {
  const done = new Set<string>(['call']);
  for (const { what, request, first } of effects) {
    await first?.(world);
    const fields = request(ask, await readHoldings(world, world.demo.owner.walletId, positions));
    const lines = await run(fields);
    const { digest = '', ...last } = lines.at(-1)!;
    expect([what, last]).toEqual([what, { step: 'confirm', status: 'done' }]);
    positions = { ...positions, ...(await positionsMade(world, digest)) };
    done.add(fields.action);
  }
  expect([...done].sort()).toEqual(Object.keys(examples).sort());
});
