import { setTimeout as delay } from 'node:timers/promises';
import { registryEvents } from '../test/support/registry-events.ts';
import { runChaos } from '../test/support/webhook-chaos/run.ts';
import { openWorld } from './dispatch.ts';
import type { Options, Result } from './measure.ts';

/**
 * Two dispatchers deliver 10,000 events to 50 subscriptions, some of which hang or fail. One dispatcher is killed every few
 * seconds, subscriptions are changed, and the store loses all of them once. Does not measure speed: events may be sent again only as often as kills lost responses.
 * @throws when an event is missing, delivered in two rows, or sent again without a kill
 */
export async function run({ scale }: Options): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const { db, redisUrl, kv, subscriptions, subscribe } = await openWorld(stack);
  const { addEvents } = registryEvents(db);
  const events = Math.round(10_000 * scale);
  const options = {
    events,
    subscriptionsCount: 50,
    nextKill: (_kills: number, _requests: unknown, signal: AbortSignal) =>
      delay(3_000, undefined, { signal }),
    killsMax: Number.POSITIVE_INFINITY,
    seed: 1,
  };
  const report = await runChaos({ db, redisUrl, kv, subscriptions, subscribe, addEvents, ...options });
  const { repeated, lost, ...details } = report;
  const { missing, missingAfterChange, wrongRows, wrongSuccesses, unexplained } = report;
  if (missing + missingAfterChange + wrongRows + wrongSuccesses + unexplained > 0)
    throw new Error(JSON.stringify(report));
  return {
    name: 'webhook-chaos',
    unit: 'repeated sends',
    value: repeated,
    limit: lost,
    limitName: 'responses that kills lost',
    ratio: lost === 0 ? 1 : repeated / lost,
    aim: 1,
    details,
  };
}
