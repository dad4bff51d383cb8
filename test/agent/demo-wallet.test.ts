import { beforeAll, expect, test } from 'vitest';
import { examples } from '../../lib/actions/examples.ts';
import { effects } from '../support/agent-actions/effects.ts';
import { type Positions, positionsMade, readHoldings } from '../support/agent-actions/holdings.ts';
import { type ActionRequests, actionRequests, type Fields } from '../support/agent-actions/requests.ts';
import { executorKey, postAction, readSteps } from '../support/agent-world.ts';
import { startDemoAgent, startDemoTools } from '../support/demo-tools.ts';
import { useForFile } from '../support/use-for-file.ts';

/** The agent has the default limits of an operator. */
let ask: ActionRequests;
let key: Record<string, string>;
let positions: Positions = {};

const world = useForFile(startDemoTools);
const agent = useForFile(() => startDemoAgent(world));
beforeAll(async () => {
  ask = actionRequests(world);
  key = await executorKey(agent, world.demo.owner.walletId);
});

async function run(fields: Fields) {
  const { owner } = world.demo;
  return readSteps(await postAction(agent, 'run', { owner, walletId: owner.walletId }, fields, key));
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
