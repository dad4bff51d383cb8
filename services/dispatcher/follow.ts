import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Database } from '../../db/client.ts';
import { listen } from '../../db/listen.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Engine } from './index.ts';
import { removeOld } from './retention.ts';
import { createWake } from './wake.ts';

interface FollowOptions {
  db: Database;
  log: Logger;
  /** Milliseconds between two looks that nothing asked for: a retry becomes due, a lease is over. */
  pollMs: number;
  stop: AbortSignal;
}

const removeOldEveryMs = 600_000;

/**
 * Dispatches whenever the index or a subscriber's request gives it something to do, and every so often, until the
 * signal aborts. What fails is tried again; the reason is logged once.
 */
export async function follow(engine: Engine, { db, log, pollMs, stop }: FollowOptions): Promise<void> {
  const wake = createWake(stop);
  const listener = listen({
    url: db.url,
    channels: ['indexed', 'webhooks'],
    onNotification: (channel) => {
      if (channel === 'webhooks') engine.refresh();
      wake.now();
    },
    onConnected: wake.now,
    log,
  });
  const goOn = () => !stop.aborted;
  let failing = false;
  let removeOldAtMs = 0;

  async function claim(): Promise<void> {
    for (const lane of await engine.claim(engine.networks, goOn)) {
      // One that broke off waits for the next look, or it would break off without pause.
      void lane.then((counts) => counts && wake.now());
    }
  }

  async function round(): Promise<void> {
    for (const network of engine.networks) {
      // What is written is sent while the next is written.
      while ((await engine.fanOut(network)).more && goOn()) await claim();
    }
    await claim();
    if (performance.now() < removeOldAtMs) return;
    removeOldAtMs = performance.now() + removeOldEveryMs;
    await removeOld(db.pool);
  }

  while (goOn()) {
    try {
      await round();
      if (failing) log.info('webhooks are dispatched again');
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ reason: messageOf(error) }, 'cannot dispatch webhooks; trying again');
      failing = true;
    }
    await wake.next(pollMs);
  }
  await listener.close();
}
