import type { Queryable } from '../../db/queries/queryable.ts';
import { type Due, type Kind, readDue, releaseLease, renewLease } from '../../db/queries/webhooks/leases.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import type { SigningKeys } from '../../lib/webhooks/signing.ts';
import { type Exchange, exchange, type Message, type MessageLoader } from './exchange.ts';
import type { Recorder } from './record.ts';
import { type RetryRules, retryDelayMs } from './retry.ts';

/** A subscription with what is needed to send to it. */
export interface Receiver {
  id: string;
  url: string;
  keys: SigningKeys | undefined;
}

export interface WorkerOptions {
  db: Queryable;
  outbound: Pick<Outbound, 'postBytes'>;
  messages: MessageLoader;
  recorder: Recorder;
  rules: RetryRules;
  timeoutMs: number;
  lease: string;
  leaseMs: number;
  onEnded(exchange: Exchange): void;
  /** The receiver responded with 410. */
  onGone(subscription: string): Promise<void>;
}

/** Attempts of one worker, by how they ended. */
export interface AttemptCounts {
  delivered: number;
  failed: number;
}

/** Deliveries that are read at a time. */
const batchMax = 50;
/** Beyond the timeout of an exchange, for its result to be stored before the lease expires. */
const storeMs = 1_000;

interface Slot {
  receiver: Receiver;
  networks: readonly string[];
  /** `performance.now()` before the claim was sent: the lease began later. */
  claimedAtMs: number;
  /** Whether another delivery may begin. */
  goOn(): boolean;
}

/**
 * Sends what a leased subscription has due, then releases it. First attempts are made in the order of the events,
 * each after the previous one has ended; retries run beside them, one at a time.
 */
export async function runWorker(options: WorkerOptions, slot: Slot): Promise<AttemptCounts> {
  const { db, lease, leaseMs, timeoutMs } = options;
  const { receiver } = slot;
  const counts: AttemptCounts = { delivered: 0, failed: 0 };
  let leasedAtMs = slot.claimedAtMs;
  let ended = false;

  const leaseLeftMs = () => leaseMs - (performance.now() - leasedAtMs);
  const mayBegin = async (): Promise<boolean> => {
    if (ended || !slot.goOn()) return false;
    if (leaseLeftMs() > timeoutMs + storeMs) return true;
    const renewedAtMs = performance.now();
    if (await renewLease(db, receiver.id, lease, leaseMs)) leasedAtMs = renewedAtMs;
    else ended = true;
    return !ended;
  };

  /** Ends only when all attempts are stored: a delivery read again before that would be sent again. */
  async function work(kind: Kind): Promise<void> {
    const positions = slot.networks.map((network) => ({ network, after: 0 }));
    const unstored = new Set<Promise<void>>();
    try {
      while (await mayBegin()) {
        const due = await readDue(db, receiver.id, positions, kind, batchMax);
        if (due.length === 0) return;
        const messages = await options.messages.of(due);
        for (const [at, one] of due.entries()) {
          if (!(await mayBegin())) return;
          const sent = await send(options, receiver, one, messages[at]!);
          const stored: Promise<void> = sent.stored.then(() => void unstored.delete(stored));
          // Awaited at the end; until then a rejection must not count as unhandled.
          stored.catch(() => undefined);
          unstored.add(stored);
          counts[sent.delivered ? 'delivered' : 'failed'] += 1;
          ended ||= sent.gone;
          if (kind === 'first' && sent.overloaded) return;
          positions.find(({ network }) => network === one.network)!.after = one.id;
        }
        // First attempts go on behind those that are being stored, but not far: a crash would lose their results.
        if (kind === 'retry' || unstored.size > batchMax) await Promise.all(unstored);
      }
    } finally {
      await Promise.all(unstored);
    }
  }

  const done = await Promise.allSettled([work('first'), work('retry')]);
  await releaseLease(db, receiver.id, lease);
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  return counts;
}

interface Sent {
  delivered: boolean;
  gone: boolean;
  overloaded: boolean;
  stored: Promise<void>;
}

async function send(options: WorkerOptions, receiver: Receiver, due: Due, message: Message): Promise<Sent> {
  const { outbound, recorder, rules, timeoutMs, onEnded, onGone } = options;
  const ended = await exchange(outbound, receiver, message, timeoutMs);
  onEnded(ended);
  const delivered = ended.outcome === 'delivered';
  const gone = ended.status === 410;
  const overloaded = ended.outcome === 'timeout' || ended.status === 429;
  if (gone) await onGone(receiver.id);
  const stored = recorder.add({
    subscription: due.subscription,
    id: due.id,
    ...ended,
    delivered,
    retryMs: delivered || gone ? undefined : delayOf(rules, due, ended, overloaded),
    holdMs: overloaded ? rules.overloadMs : undefined,
  });
  return { delivered, gone, overloaded, stored };
}

function delayOf(rules: RetryRules, due: Due, { retryAfter }: Exchange, overloaded: boolean) {
  return retryDelayMs(rules, { failures: due.failures + 1, overloaded, retryAfter });
}
