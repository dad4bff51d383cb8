import { createWebhookOutbound } from '../lib/outbound/index.ts';
import { registryEvents } from '../test/support/registry-events.ts';
import { openDispatcher, openWorld, startReceiver } from './dispatch.ts';

const subscriptions = 50;
const budgetMs = 600_000;

interface DispatcherCosts {
  dispatchers: number;
  /** Microseconds of processor time of one delivery. */
  dispatcherMicros: number;
  postgresMicros: number;
}

/** Costs of a delivery for 1, 2 and 4 dispatchers that take subscriptions from one database. They share this process. */
export async function measureDispatchers(scale: number): Promise<DispatcherCosts[]> {
  await using stack = new AsyncDisposableStack();
  const url = await startReceiver(stack);
  const outbound = createWebhookOutbound(['127.0.0.0/8']);
  stack.defer(() => outbound.close());
  const world = await openWorld(stack, { durable: true });
  for (let n = 0; n < subscriptions; n++) await world.subscribe(`${url}/${n}`);
  const { addEvents } = registryEvents(world.db);
  const all = Array.from({ length: 4 }, () => openDispatcher(world, outbound, stack));
  const events = Math.max(10, Math.round(200 * scale));
  const costs: DispatcherCosts[] = [];
  // The first round compiles the code.
  for (const dispatchers of [1, 1, 2, 4]) {
    await addEvents(events);
    const before = [process.cpuUsage(), await world.serverCpuSeconds()] as const;
    const outcomes = await Promise.all(
      all.slice(0, dispatchers).map((one) => one.dispatch('testnet', budgetMs)),
    );
    const { user, system } = process.cpuUsage(before[0]);
    const postgresSeconds = (await world.serverCpuSeconds()) - before[1];
    const delivered = outcomes.reduce((sum, one) => sum + one.delivered, 0);
    if (delivered !== events * subscriptions)
      throw new Error(`${delivered} of ${events * subscriptions} delivered`);
    costs.push({
      dispatchers,
      dispatcherMicros: Math.round((user + system) / delivered),
      postgresMicros: Math.round((postgresSeconds * 1e6) / delivered),
    });
  }
  return costs.slice(1);
}
