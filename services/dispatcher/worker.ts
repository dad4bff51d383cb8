import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../../db/queries/queryable.ts';
import { isBefore, type Position } from '../../db/queries/registry-events.ts';
import type { AttemptOutcome, EndedAttempt, Passed } from '../../db/queries/webhooks/attempts.ts';
import type { SubscriptionPosition } from '../../db/queries/webhooks/positions.ts';
import {
  type Due,
  type Kind,
  readDue,
  releaseLeases,
  renewLease,
} from '../../db/queries/webhooks/subscriptions.ts';
import type { Logger } from '../../lib/log/index.ts';
import { OutboundError } from '../../lib/outbound/errors.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import { messageBytes, type SubscriptionKeys, signatureHeaders } from '../../lib/webhooks/signing.ts';
import type { Feed, Message } from './feed.ts';
import { type Recorder, type RetryRules, retryDelayMs } from './outcome.ts';

const readMax = 16 * 1024;
/** Characters of the response that are stored for the subscriber to see. */
const storedMax = 1_000;

const isSuccess = (status: number) => status >= 200 && status < 300;

/** Explains why a status is a failure. */
function judge(status: number): { outcome: AttemptOutcome; error: string } {
  if (status >= 300 && status < 400) {
    const error = `The receiver responded with a redirect (${status}); redirects are not followed.`;
    return { outcome: 'redirect', error };
  }
  return { outcome: 'http_status', error: `The receiver responded with ${status}.` };
}

function buildHeaders(
  { id, event, bytes }: Message,
  keys: SubscriptionKeys | undefined,
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
  return keys ? Object.assign(headers, signatureHeaders(keys, { id, timestamp, body: bytes })) : headers;
}

/** Returns the untrusted body without control characters. */
function printable(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  return body
    .toString('utf8', 0, storedMax * 4)
    .replace(/[^\t\n\x20-\x7e\u00a0-\u{10ffff}]/gu, '?')
    .slice(0, storedMax)
    .toWellFormed();
}

/** A subscription with the url and the keys that are needed to send to it. */
export interface Receiver {
  id: string;
  url: string;
  keys: SubscriptionKeys | undefined;
}

export interface WorkerOptions {
  db: Queryable;
  outbound: Pick<Outbound, 'postBytes'>;
  feeds: ReadonlyMap<string, Feed>;
  recorder: Recorder;
  rules: RetryRules;
  timeoutMs: number;
  lease: string;
  leaseMs: number;
  onEnded(attempt: EndedAttempt): void;
  /** The receiver responded with 410. */
  onGone(subscription: string): Promise<void>;
}

/** Attempts of one worker, by how they ended. */
export interface AttemptCounts {
  delivered: number;
  failed: number;
  /** `true` if the worker ended with deliveries left that it could have sent, or may send later. */
  rest: boolean;
}

/** Maximum number of events and retries that are read at a time. */
const batchMax = 50;
/**
 * Maximum number of a worker's responses that are not stored. As many are sent again if the process is killed or the
 * database is unavailable.
 */
const unstoredMax = 50;
/** Time in addition to an exchange's timeout, so that its result is stored before the lease expires. */
const storeMs = 1_000;

interface Slot {
  receiver: Receiver;
  positions: readonly SubscriptionPosition[];
  /** `true` if `webhook_retries` has a due delivery. */
  due: boolean;
  /** `performance.now()` before the claim was sent: the lease began later. */
  claimedAtMs: number;
  /** Returns `true` if another delivery may begin. */
  goOn(): boolean;
}

/**
 * Sends the pending deliveries of a leased subscription. First attempts are made in the order of the events, each after
 * the previous one has ended. Retries run in parallel, one at a time. Ends when all results are stored.
 */
export async function runWorker(options: WorkerOptions, slot: Slot): Promise<AttemptCounts> {
  const { db, lease, leaseMs, timeoutMs, recorder } = options;
  const { receiver, positions } = slot;
  const networks = positions.map(({ network }) => network);
  const counts: AttemptCounts = { delivered: 0, failed: 0, rest: false };
  let leasedAtMs = slot.claimedAtMs;
  let ended = false;

  // Like `record`, it returns no promise if there is nothing to wait for: both are called for every delivery.
  const mayBegin = (): boolean | Promise<boolean> => {
    if (ended || !slot.goOn()) return false;
    return leaseMs - (performance.now() - leasedAtMs) > timeoutMs + storeMs || renew();
  };
  const renew = async (): Promise<boolean> => {
    const renewedAtMs = performance.now();
    if (await renewLease(db, receiver.id, lease, leaseMs)) leasedAtMs = renewedAtMs;
    else ended = true;
    return !ended;
  };

  /** Number of entries in each batch that is not stored yet, oldest first. */
  const unstored = new Map<Promise<void>, number>();
  let unstoredCount = 0;
  /**
   * Waits if too many entries are not stored: sending continues ahead of what is being stored, but only by a limited
   * number.
   */
  function record(passed: Passed | undefined, attempt?: EndedAttempt): Promise<void> | undefined {
    const stored = recorder.add(passed, attempt);
    const together = (unstored.get(stored) ?? 0) + 1;
    unstored.set(stored, together);
    unstoredCount += 1;
    // The batch that is being stored does not count, or a small batch would follow each large one.
    if (together >= unstoredMax / 2) recorder.hurry();
    return unstoredCount < unstoredMax ? undefined : storeUntilRoom();
  }
  async function storeUntilRoom(): Promise<void> {
    while (unstoredCount >= unstoredMax) await storeOldest();
  }
  async function storeOldest(): Promise<void> {
    const [oldest] = unstored.keys();
    await oldest;
    unstoredCount -= unstored.get(oldest!) ?? 0;
    unstored.delete(oldest!);
  }
  async function storeAll(): Promise<void> {
    recorder.hurry();
    while (unstored.size > 0) await storeOldest();
  }

  function count({ ended: { outcome }, gone }: Sent): void {
    counts[outcome === 'delivered' ? 'delivered' : 'failed'] += 1;
    ended ||= gone;
  }

  /** @returns whether the receiver is overloaded */
  async function sendDue(kind: Kind): Promise<boolean> {
    let after = 0;
    for (let begins = mayBegin(); begins === true || (await begins); begins = mayBegin()) {
      const due = await readDue(db, receiver.id, { networks, kind, after, limit: batchMax });
      if (due.length === 0) return false;
      const messages = await readMessages(options.feeds, due);
      for (const one of due) {
        const begins = mayBegin();
        if (begins !== true && !(await begins)) return false;
        const sent = await send(options, receiver, { id: one.id }, messages.get(one)!, one.failures);
        count(sent);
        await record(undefined, sent.ended);
        if (kind === 'first' && sent.overloaded) return true;
        if (kind === 'first') after = one.id;
      }
      // A retry that is read again before its result is stored would be sent again.
      if (kind === 'retry') await storeAll();
    }
    return false;
  }

  /** Sends the events after a position. @returns whether all of them are sent */
  async function sendEvents(at: SubscriptionPosition): Promise<boolean> {
    const { subscription, network, changes } = at;
    const feed = options.feeds.get(network)!;
    let { position } = at;
    const passedUpTo = (upTo: Position) => {
      const passed = { subscription, network, after: position, upTo, changes };
      position = upTo;
      return passed;
    };
    let reading = position;
    for (let begins = mayBegin(); begins === true || (await begins); begins = mayBegin()) {
      const { events, upTo } = await feed.next(at, reading, batchMax);
      for (const event of events) {
        const begins = mayBegin();
        if (begins !== true && !(await begins)) return false;
        const of = { network, position: event.position, event: event.event };
        const sent = await send(options, receiver, of, event, 0);
        count(sent);
        const full = record(passedUpTo(event.position), sent.ended);
        if (full) await full;
        if (sent.overloaded) return false;
      }
      if (events.length === 0 && !isBefore(reading, upTo)) {
        // A position without matching events does not move if the feed knows that without a read.
        const worthIt = at.segments.length > 1 || isBefore(position, feed.from);
        if (worthIt && isBefore(position, upTo)) await record(passedUpTo(upTo));
        return true;
      }
      reading = upTo;
    }
    return false;
  }

  /** @returns whether everything is sent */
  async function sendFirst(): Promise<boolean> {
    if (slot.due && (await sendDue('first'))) return false;
    for (const at of positions) if (!(await sendEvents(at))) return false;
    return true;
  }

  const done = await Promise.allSettled([sendFirst(), slot.due ? sendDue('retry') : false]);
  // This runs even if one of them failed: the received responses are valid.
  await storeAll();
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  counts.rest = done[0].status === 'fulfilled' && !done[0].value;
  return counts;
}

async function readMessages(
  feeds: ReadonlyMap<string, Feed>,
  due: readonly Due[],
): Promise<Map<Due, Message>> {
  const messages = new Map<Due, Message>();
  const ofEvents = due.filter(({ checkpoint }) => checkpoint !== null);
  for (const [network, own] of Map.groupBy(ofEvents, (one) => one.network)) {
    const events = await feeds.get(network)!.at(own.map(toPosition));
    const byPosition = new Map(events.map((event) => [String(event.position), event]));
    for (const one of own) {
      const event = byPosition.get(String(toPosition(one)));
      if (!event) throw new Error(`the event of delivery ${one.id} is missing`);
      messages.set(one, event);
    }
  }
  for (const one of due) if (one.checkpoint === null) messages.set(one, testMessage(one));
  return messages;
}

const toPosition = ({ checkpoint, txIndex, eventIndex }: Due): Position => [
  checkpoint!,
  txIndex!,
  eventIndex!,
];

function testMessage({ network, event, data, createdAt, id: delivery }: Due): Message {
  const id = `test:${delivery}`;
  const message = { network: network as Network, event, data, timestampMs: createdAt.getTime(), id };
  return { id, event, bytes: messageBytes(message) };
}

interface Sent {
  ended: EndedAttempt;
  gone: boolean;
  overloaded: boolean;
}

/**
 * Sends one message once. A failure is an outcome, not an error.
 * @param failures failed attempts since the last resend
 */
async function send(
  { outbound, rules, timeoutMs, onEnded, onGone }: WorkerOptions,
  { id: subscription, url, keys }: Receiver,
  of: EndedAttempt['of'],
  message: Message,
  failures: number,
): Promise<Sent> {
  const startedAtMs = Date.now();
  const started = performance.now();
  const ended: EndedAttempt = {
    subscription,
    of,
    startedAtMs,
    durationMs: 0,
    outcome: 'delivered',
    status: undefined,
    error: undefined,
    response: undefined,
    retryMs: undefined,
    holdMs: undefined,
  };
  let retryAfter: string | undefined;
  try {
    const headers = buildHeaders(message, keys, Math.floor(startedAtMs / 1000));
    const answer = await outbound.postBytes(url, { headers, body: message.bytes, readMax, timeoutMs });
    ended.status = answer.status;
    ended.response = printable(answer.body);
    retryAfter = answer.retryAfter;
    if (!isSuccess(answer.status)) Object.assign(ended, judge(answer.status));
  } catch (error) {
    ended.outcome = error instanceof OutboundError ? error.kind : 'network';
    ended.error = getErrorMessage(error);
  }
  ended.durationMs = Math.round(performance.now() - started);
  onEnded(ended);
  if (ended.outcome === 'delivered') return { ended, gone: false, overloaded: false };
  const gone = ended.status === 410;
  const overloaded = ended.outcome === 'timeout' || ended.status === 429;
  if (gone) await onGone(subscription);
  else ended.retryMs = retryDelayMs(rules, { failures: failures + 1, overloaded, retryAfter });
  if (overloaded) ended.holdMs = rules.overloadMs;
  return { ended, gone, overloaded };
}

/**
 * Returns a function that releases leases. Workers that end together share one statement. A lease that cannot be
 * released expires.
 */
export function createReleaser({ db, lease }: Pick<WorkerOptions, 'db' | 'lease'>, log: Logger) {
  let next: { ids: string[]; released: Promise<void> } | undefined;
  return (subscription: string): Promise<void> => {
    if (!next) {
      const ids: string[] = [];
      const released = Promise.resolve()
        .then(() => {
          next = undefined;
          return releaseLeases(db, ids, lease);
        })
        .catch((error) =>
          log.warn({ reason: getErrorMessage(error) }, 'cannot release webhook subscriptions'),
        );
      next = { ids, released };
    }
    next.ids.push(subscription);
    return next.released;
  };
}
