import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../test/support/eventually.ts';
import { adminSecret } from '../test/support/keys.ts';
import { createDataDir } from '../test/support/service.ts';
import { startWorld, type World, waitForGateways } from '../test/support/world/world.ts';
import { openWallets } from './agent/wallets.ts';
import { openServerCpu, readTreeCpuSeconds } from './server-cpu.ts';

/** Microseconds of processor time of one run, all processes of a role together. */
interface RunCosts {
  agents: number;
  agentMicros: number;
  toolMicros: number;
  gatewayMicros: number;
  indexerMicros: number;
  postgresMicros: number;
  networkMicros: number;
  /** Rate of ten wallets, each with one run after the other. */
  runsPerSecond: number;
}

interface AgentCosts {
  runs: RunCosts[];
  /**
   * Milliseconds from the death of an indexer until an event that is newer is stored: when the dead one wrote, and when it
   * waited.
   */
  takeoverMs: { writing: number; waiting: number };
}

const roundsFull = 20;

/**
 * Costs of a run for 1 and 2 agents and ten wallets, and the time for which events wait when an indexer dies. Two processes of
 * each role run on one PostgreSQL, 50 ms from the node; agents are reached through a gateway each.
 */
export async function measureAgents(scale: number): Promise<AgentCosts> {
  await using stack = new AsyncDisposableStack();
  const data = await createDataDir();
  stack.defer(() => data.remove());
  const world = await startWorld({ networkDir: data.dir });
  stack.defer(() => world.close());
  const [first = '', second = ''] = world.gateways;
  await waitForGateways(world);
  const spends = await openWallets({ demo: world.demo, url: first, adminSecret }, world.client);
  const rounds = Math.max(2, Math.round(roundsFull * scale));
  const runs: RunCosts[] = [];
  // The first two rounds compile the code of both agents.
  for (const agents of [2, 1, 2]) {
    const before = await readCosts(world);
    const startedMs = performance.now();
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(spends.map((spend, at) => spend(agents === 2 && at % 2 ? second : first)));
    const seconds = (performance.now() - startedMs) / 1_000;
    const after = await readCosts(world);
    const count = rounds * spends.length;
    const cost = (role: string) =>
      Math.round((((after.get(role) ?? 0) - (before.get(role) ?? 0)) * 1e6) / count);
    runs.push({
      agents,
      agentMicros: cost('agent'),
      toolMicros: cost('tools'),
      gatewayMicros: cost('gateway'),
      indexerMicros: cost('indexer'),
      postgresMicros: cost('postgres'),
      networkMicros: cost('localnet'),
      runsPerSecond: Math.round((count / seconds) * 10) / 10,
    });
  }
  return { runs: runs.slice(1), takeoverMs: await measureTakeover(world, spends[0]!) };
}

/** Processor seconds by role. */
async function readCosts({ roles, db }: World): Promise<Map<string, number>> {
  const costs = new Map([['postgres', await (await openServerCpu(db.pool))()]]);
  for (const { name, service } of roles) {
    const seconds = await readTreeCpuSeconds(String(service().process.pid));
    costs.set(name, (costs.get(name) ?? 0) + seconds);
  }
  return costs;
}

/** Longer than a process takes from its start until it waits for the source. */
const restMs = 5_000;

/**
 * Kills one of the two indexers after the other. The second one writes then, whichever did before, and once it is back, it
 * waits.
 */
async function measureTakeover(
  { roles, db }: World,
  spend: () => Promise<void>,
): Promise<AgentCosts['takeoverMs']> {
  const [first, second] = roles.filter(({ name }) => name === 'indexer');
  const readNewest = async () =>
    Number((await db.pool.query('select coalesce(max(checkpoint), 0) as newest from events')).rows[0].newest);
  const kill = async ({ service, start }: World['roles'][number]): Promise<number> => {
    service().process.kill('SIGKILL');
    const killedMs = performance.now();
    const newest = await readNewest();
    await spend();
    await eventually(
      async () => {
        if ((await readNewest()) <= newest) throw new Error('no event is newer');
      },
      { intervalMs: 10 },
    );
    const ms = Math.round(performance.now() - killedMs);
    start();
    await delay(restMs);
    return ms;
  };
  await kill(first!);
  return { writing: await kill(second!), waiting: await kill(second!) };
}
