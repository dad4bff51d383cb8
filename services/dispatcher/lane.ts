import type { Pool } from 'pg';
import type { Outbound } from '../../lib/outbound/index.ts';
import type { SigningKeys } from '../../lib/webhooks/signature.ts';
import { type Ended, exchange } from './exchange.ts';
import { type Due, type Kind, readDue, releaseLane, renewLane } from './lanes.ts';
import type { Message, Messages } from './messages.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { Recorder } from './record.ts';
import { type RetryRules, retryDelayMs } from './retry.ts';

/** A subscription with what is needed to send to it. */
export interface Receiver {
  id: string;
  url: string;
  keys: SigningKeys | undefined;
}

export interface LaneOptions {
  pool: Pool;
  outbound: Pick<Outbound, 'postBytes'>;
  messages: Messages;
  recorder: Recorder;
  metrics: DispatcherMetrics;
  rules: RetryRules;
  timeoutMs: number;
  lease: string;
  leaseMs: number;
  /** The receiver answered 410. */
  onGone(subscription: string): Promise<void>;
}

export interface LaneCounts {
  delivered: number;
  failed: number;
}

/** Deliveries that are read at a time. */
const batchMax = 50;
/** Beyond the time-out of an exchange, for its result to be stored before the lease is over. */
const storeMs = 1_000;

interface Turn {
  receiver: Receiver;
  networks: readonly string[];
  /** `performance.now()` of the claim's request: by then, the lease had not begun. */
  claimedAtMs: number;
  /** Whether another delivery may be begun. */
  goOn(): boolean;
}

/**
 * Sends what a held subscription has due, then gives it back. First attempts are made in the order of the events,
 * each after the former has ended; beside them, one at a time, those that are made again.
 */
export async function workLane(options: LaneOptions, turn: Turn): Promise<LaneCounts> {
  const { pool, lease, leaseMs, timeoutMs } = options;
  const { receiver } = turn;
  const counts: LaneCounts = { delivered: 0, failed: 0 };
  let leasedAtMs = turn.claimedAtMs;
  let ended = false;

  const leaseLeftMs = () => leaseMs - (performance.now() - leasedAtMs);
  const mayBegin = async (): Promise<boolean> => {
    if (ended || !turn.goOn()) return false;
    if (leaseLeftMs() > timeoutMs + storeMs) return true;
    const askedAtMs = performance.now();
    if (await renewLane(pool, receiver.id, lease, leaseMs)) leasedAtMs = askedAtMs;
    else ended = true;
    return !ended;
  };

  /** Ends only when all that it has sent is stored: read again before, it would be sent again. */
  async function work(kind: Kind): Promise<void> {
    const places = turn.networks.map((network) => ({ network, after: 0 }));
    const unstored = new Set<Promise<void>>();
    try {
      while (await mayBegin()) {
        const due = await readDue(pool, receiver.id, places, kind, batchMax);
        if (due.length === 0) return;
        const messages = await options.messages.of(due);
        for (const [at, one] of due.entries()) {
          if (!(await mayBegin())) return;
          const sent = await send(options, receiver, one, messages[at]!);
          const stored: Promise<void> = sent.stored.then(() => void unstored.delete(stored));
          // Heard at the end; until then its failure must not count as unheard.
          stored.catch(() => undefined);
          unstored.add(stored);
          counts[sent.delivered ? 'delivered' : 'failed'] += 1;
          ended ||= sent.gone;
          if (kind === 'first' && sent.overloaded) return;
          places.find(({ network }) => network === one.network)!.after = one.id;
        }
        // First attempts go on behind those that are being stored, but not far: a crash would lose their answers.
        if (kind === 'again' || unstored.size > batchMax) await Promise.all(unstored);
      }
    } finally {
      await Promise.all(unstored);
    }
  }

  const done = await Promise.allSettled([work('first'), work('again')]);
  await releaseLane(pool, receiver.id, lease);
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  return counts;
}

interface Sent {
  delivered: boolean;
  gone: boolean;
  overloaded: boolean;
  stored: Promise<void>;
}

async function send(options: LaneOptions, receiver: Receiver, due: Due, message: Message): Promise<Sent> {
  const { outbound, recorder, metrics, rules, timeoutMs, onGone } = options;
  const ended = await exchange(outbound, receiver, message, timeoutMs);
  metrics.attempts.inc({ outcome: ended.outcome });
  metrics.duration.observe(ended.durationMs / 1000);
  const delivered = ended.outcome === 'delivered';
  const gone = ended.status === 410;
  const overloaded = ended.outcome === 'timeout' || ended.status === 429;
  if (gone) await onGone(receiver.id);
  const stored = recorder.add({
    due,
    ended,
    delivered,
    retryMs: delivered || gone ? undefined : delayOf(rules, due, ended, overloaded),
    holdMs: overloaded ? rules.overloadMs : undefined,
  });
  return { delivered, gone, overloaded, stored };
}

function delayOf(rules: RetryRules, due: Due, { retryAfter }: Ended, overloaded: boolean) {
  return retryDelayMs(rules, { failures: due.failures + 1, overloaded, retryAfter });
}
