import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Pool } from 'pg';
import { formatPosition } from '../../lib/webhooks/position.ts';
import type { FanOut } from './fan-out.ts';
import type { Engine } from './index.ts';
import { createWake } from './wake.ts';

/** What one run did. Counts are of this run; other dispatchers may have been at work beside it. */
export interface DispatchReport {
  network: Network;
  /** The last registry event whose deliveries are written; null before the first. */
  cursor: string | null;
  /** Registry events whose deliveries were written. */
  events: number;
  /** Attempts that succeeded. */
  delivered: number;
  /** Attempts that failed; most are made again. */
  failed: number;
  /** Deliveries of the network that are still to be sent, now or later. */
  pending: number;
  /** Known subscriptions that the key-value store has lost; the cursor waits for them. */
  missing: number;
}

interface OnceOptions {
  network: Network;
  /** No exchange is begun after it. */
  budgetMs: number;
  stop: AbortSignal;
}

/** Writes the deliveries of a network, then sends what is due until nothing is, or the time is over. */
export async function dispatchOnce(
  engine: Engine,
  pool: Pool,
  { network, budgetMs, stop }: OnceOptions,
): Promise<DispatchReport> {
  const over = AbortSignal.any([stop, AbortSignal.timeout(budgetMs)]);
  const goOn = () => !over.aborted;

  engine.refresh();
  let events = 0;
  let [delivered, failed] = [0, 0];
  let brokeOff = false;
  const under = new Set<Promise<void>>();
  const ended = createWake(over);
  async function claim(): Promise<void> {
    for (const lane of await engine.claim([network], goOn)) {
      const counted: Promise<void> = lane.then((counts) => {
        delivered += counts?.delivered ?? 0;
        failed += counts?.failed ?? 0;
        brokeOff ||= counts === undefined;
        under.delete(counted);
        ended.now();
      });
      under.add(counted);
    }
  }

  // What is written is sent while the next is written.
  let fanned: FanOut;
  do {
    fanned = await engine.fanOut(network);
    events += fanned.events;
    if (fanned.more) await claim();
  } while (fanned.more && goOn());
  while (goOn() && !brokeOff) {
    await claim();
    if (under.size === 0) break;
    // Whoever has ended may have left something that has become due, and others may wait for the place.
    await ended.next(budgetMs);
  }
  await Promise.all(under);

  const { rows } = await pool.query<{ pending: number }>(
    'select count(*) as pending from webhook_deliveries where network = $1 and due_at is not null',
    [network],
  );
  const cursor = fanned.cursor && formatPosition(fanned.cursor);
  return {
    network,
    cursor,
    events,
    delivered,
    failed,
    pending: rows[0]!.pending,
    missing: fanned.missing.length,
  };
}
