import { messageOf, type Network } from '@adaptor-marketplace/adaptor';
import { LRUCache } from 'lru-cache';
import type { Queryable } from '../../db/queries/queryable.ts';
import { type AttemptOutcome, readDeliveredEvents } from '../../db/queries/webhooks/deliveries.ts';
import {
  type Due,
  type Kind,
  readDue,
  releaseLease,
  renewLease,
} from '../../db/queries/webhooks/subscriptions.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import {
  bodySignature,
  messageBytes,
  type SigningKeys,
  standardSignature,
} from '../../lib/webhooks/signing.ts';
import { type Recorder, type RetryRules, retryDelayMs } from './outcome.ts';

/** What is sent for a delivery, the same for every receiver. */
interface Message {
  id: string;
  event: string;
  bytes: Buffer;
}

interface MessageLoader {
  /** In the order of the deliveries. */
  of(deliveries: readonly Due[]): Promise<Message[]>;
}

/** Bytes of cached messages: many subscriptions get the same event at about the same time. */
const cachedBytesMax = 16 * 1024 * 1024;

/** Makes each message from its event, which never changes, and caches the latest. */
export function messageLoader(db: Queryable): MessageLoader {
  const cached = new LRUCache<string, Message>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ bytes, id }) => bytes.length + id.length,
  });

  async function load(missing: Map<string, Due>): Promise<Map<string, Message>> {
    const deliveries = [...missing.values()];
    const events = await readDeliveredEvents(db, deliveries);
    const loaded = events.map((row): [string, Message] => {
      const due = deliveries[row.ordinal - 1]!;
      const id = `${row.txDigest}:${due.eventIndex}`;
      const { name: event, data, timestamp } = row;
      const message = { network: due.network as Network, event, data, timestampMs: timestamp.getTime(), id };
      return [keyOf(due), { id, event, bytes: messageBytes(message) }];
    });
    return new Map(loaded);
  }

  return {
    async of(deliveries) {
      const missing = new Map<string, Due>();
      for (const due of deliveries) {
        if (due.checkpoint !== null && !cached.has(keyOf(due))) missing.set(keyOf(due), due);
      }
      // Read from `loaded` first: the cache may evict what was just added.
      const loaded = missing.size > 0 ? await load(missing) : new Map<string, Message>();
      for (const [key, message] of loaded) cached.set(key, message);
      return deliveries.map((due) => {
        const message =
          due.checkpoint === null ? testMessage(due) : (loaded.get(keyOf(due)) ?? cached.get(keyOf(due)));
        if (!message) throw new Error(`the event of delivery ${due.id} is missing`);
        return message;
      });
    },
  };
}

const keyOf = ({ network, checkpoint, txIndex, eventIndex }: Due) =>
  `${network} ${checkpoint} ${txIndex} ${eventIndex}`;

function testMessage({ network, event, data, createdAt, id: delivery }: Due): Message {
  const id = `test:${delivery}`;
  const message = { network: network as Network, event, data, timestampMs: createdAt.getTime(), id };
  return { id, event, bytes: messageBytes(message) };
}

/** One request to a receiver, and how it ended. */
interface Attempt {
  startedAtMs: number;
  durationMs: number;
  outcome: AttemptOutcome;
  status: number | undefined;
  error: string | undefined;
  /** Beginning of the response's body, printable. */
  response: string | undefined;
  retryAfter: string | undefined;
}

const readMax = 16 * 1024;
/** Characters of the response that are stored for the subscriber to see. */
const storedMax = 1_000;

/** Sends one message once. Never throws: a failure is an outcome. */
async function exchange(
  outbound: Pick<Outbound, 'postBytes'>,
  { url, keys }: Pick<Receiver, 'url' | 'keys'>,
  message: Message,
  timeoutMs: number,
): Promise<Attempt> {
  const startedAtMs = Date.now();
  const started = performance.now();
  const headers = headersOf(message, keys, Math.floor(startedAtMs / 1000));
  const end = (rest: Omit<Attempt, 'startedAtMs' | 'durationMs'>): Attempt => {
    return { startedAtMs, durationMs: Math.round(performance.now() - started), ...rest };
  };
  try {
    const { status, retryAfter, body } = await outbound.postBytes(url, {
      headers,
      body: message.bytes,
      readMax,
      timeoutMs,
    });
    return end({ ...judge(status), status, retryAfter, response: printable(body) });
  } catch (error) {
    const outcome = error instanceof OutboundError ? error.kind : 'network';
    const none = { status: undefined, response: undefined, retryAfter: undefined };
    return end({ outcome, error: messageOf(error), ...none });
  }
}

function judge(status: number): Pick<Attempt, 'outcome' | 'error'> {
  if (status >= 200 && status < 300) return { outcome: 'delivered', error: undefined };
  if (status >= 300 && status < 400) {
    const error = `The receiver responded with a redirect (${status}); redirects are not followed.`;
    return { outcome: 'redirect', error };
  }
  return { outcome: 'http_status', error: `The receiver responded with ${status}.` };
}

function headersOf(
  { id, event, bytes }: Message,
  keys: SigningKeys | undefined,
  timestamp: number,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'adaptor-marketplace',
    'accept-encoding': 'identity',
    'x-svc-event': event,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
  };
  if (!keys) return headers;
  headers['x-svc-signature'] = bodySignature(keys, bytes);
  headers['webhook-signature'] = standardSignature(keys, id, timestamp, bytes);
  return headers;
}

/** The untrusted body, without control characters. */
function printable(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  return body
    .toString('utf8', 0, storedMax * 4)
    .replace(/[^\t\n\x20-\x7e\u00a0-\u{10ffff}]/gu, '?')
    .slice(0, storedMax)
    .toWellFormed();
}

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
  onEnded(attempt: Attempt): void;
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

function delayOf(rules: RetryRules, due: Due, { retryAfter }: Attempt, overloaded: boolean) {
  return retryDelayMs(rules, { failures: due.failures + 1, overloaded, retryAfter });
}
