import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../../db/queries/queryable.ts';
import { isBefore, type Position } from '../../db/queries/registry-events.ts';
import type { FinishedAttempt } from '../../db/queries/webhooks/attempts.ts';
import type { SubscriptionPosition } from '../../db/queries/webhooks/positions.ts';
import {
  type DueRetry,
  type Kind,
  readDue,
  releaseLeases,
  renewLease,
} from '../../db/queries/webhooks/subscriptions.ts';
import type { Logger } from '../../lib/log/index.ts';
import { encodeMessage } from '../../lib/webhooks/signing.ts';
import type { Feed, Message } from './feed.ts';
import type { Recorder } from './outcome.ts';
import { type Receiver, type SendOptions, type Sent, send } from './send.ts';
import { UnstoredResults } from './unstored.ts';

export interface WorkerOptions extends SendOptions {
  db: Queryable;
  feeds: ReadonlyMap<string, Feed>;
  recorder: Recorder;
  lease: string;
  leaseMs: number;
}

export interface AttemptCounts {
  delivered: number;
  failed: number;
  /** `true` if the worker ended with deliveries left that it could have sent, or may send later. */
  rest: boolean;
  /** `true` if it came to an event that may be about what the subscription asks for, once the sources have read on. */
  undecided: boolean;
}

/** Maximum number of events and retries that are read at a time. */
const batchMax = 50;
/** Time in addition to an exchange's timeout, so that its result is stored before the lease expires. */
const storeMs = 1_000;

export interface Slot {
  receiver: Receiver;
  positions: readonly SubscriptionPosition[];
  /** `true` if `webhook_retries` has a due delivery. */
  due: boolean;
  /** `true` after a timeout or a 429: the subscription gets no first attempts for now. */
  isHeld: boolean;
  /** `performance.now()` before the claim was sent: the lease began later. */
  claimedAtMs: number;
  /** Returns `true` if another delivery may begin. */
  goOn(): boolean;
}

interface Run extends Pick<Slot, 'receiver' | 'positions' | 'isHeld'> {
  options: WorkerOptions;
  lease: Lease;
  unstored: UnstoredResults;
  counts: AttemptCounts;
}

/**
 * Sends the pending deliveries of a leased subscription. First attempts are made in the order of the events, each after
 * the previous one has ended. Retries run in parallel, one at a time. Ends when all results are stored.
 */
export async function runWorker(options: WorkerOptions, slot: Slot): Promise<AttemptCounts> {
  const { receiver, positions, due, isHeld } = slot;
  const unstored = new UnstoredResults(options.recorder);
  const counts: AttemptCounts = { delivered: 0, failed: 0, rest: false, undecided: false };
  const run: Run = {
    options,
    receiver,
    positions,
    isHeld,
    lease: new Lease(options, slot),
    unstored,
    counts,
  };
  const done = await Promise.allSettled([sendFirst(run, due), due ? sendDue(run, 'retry') : undefined]);
  // This runs even if one of them failed: the received responses are valid.
  await unstored.storeAll();
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  counts.rest = done[0].status === 'fulfilled' && !done[0].value;
  return counts;
}

/** The lease of a worker, renewed while it sends. */
class Lease {
  readonly #options: WorkerOptions;
  readonly #slot: Slot;
  #leasedAtMs: number;
  #ended = false;

  constructor(options: WorkerOptions, slot: Slot) {
    this.#options = options;
    this.#slot = slot;
    this.#leasedAtMs = slot.claimedAtMs;
  }

  end(): void {
    this.#ended = true;
  }

  /** Resolves to `true` if another delivery may begin. Renews the lease when it ends too soon for one. */
  async mayBegin(): Promise<boolean> {
    if (this.#ended || !this.#slot.goOn()) return false;
    const { leaseMs, timeoutMs } = this.#options;
    return leaseMs - (performance.now() - this.#leasedAtMs) > timeoutMs + storeMs || this.#renew();
  }

  async #renew(): Promise<boolean> {
    const { db, lease, leaseMs } = this.#options;
    const renewedAtMs = performance.now();
    if (await renewLease(db, this.#slot.receiver.id, lease, leaseMs)) this.#leasedAtMs = renewedAtMs;
    else this.#ended = true;
    return !this.#ended;
  }
}

/** @returns `true` if everything is sent */
async function sendFirst(run: Run, due: boolean): Promise<boolean> {
  if (due) await sendDue(run, 'first');
  for (const at of run.positions) if (!(await sendEvents(run, at))) return false;
  return true;
}

/** Resolves to `true` if another delivery may begin. A retry begins although the subscription is held. */
async function mayBegin({ isHeld, lease }: Run, kind: Kind): Promise<boolean> {
  return !(kind === 'first' && isHeld) && (await lease.mayBegin());
}

/** Sends the due retries of a kind. */
async function sendDue(run: Run, kind: Kind): Promise<void> {
  const { options, receiver, positions, unstored } = run;
  const streams = positions.map(({ stream }) => stream);
  let after = 0;
  while (await mayBegin(run, kind)) {
    const due = await readDue(options.db, receiver.id, { streams, kind, after, limit: batchMax });
    if (due.length === 0) return;
    const messages = await readMessages(options.feeds, due);
    for (const one of due) {
      if (!(await mayBegin(run, kind))) return;
      if (kind === 'first') after = one.id;
      const message = messages.get(one);
      if (!message) {
        await unstored.add(undefined, failWithoutEvent(run, one.id));
        continue;
      }
      const sent = await sendCounted(run, { id: one.id }, message, one.failures);
      await unstored.add(undefined, sent.ended);
    }
    // A retry that is read again before its result is stored would be sent again.
    if (kind === 'retry') await unstored.storeAll();
  }
}

/** Sends the events after a position. @returns `true` if all of them are sent, or those before an undecided one */
async function sendEvents(run: Run, at: SubscriptionPosition): Promise<boolean> {
  const { options, unstored } = run;
  const { subscription, stream, changes } = at;
  const isAboutAll = at.wallet === null && at.serviceType === null && at.publisher === null;
  const feed = options.feeds.get(stream)!;
  let { position } = at;
  const passedUpTo = (upTo: Position) => {
    const passed = { subscription, stream, after: position, upTo, changes };
    position = upTo;
    return passed;
  };
  let reading = position;
  while (await mayBegin(run, 'first')) {
    const { events, upTo } = await feed.next(at, reading, batchMax);
    const { concerning, decided } = isAboutAll
      ? { concerning: events, decided: events }
      : await feed.pickConcerning(at, events);
    for (const event of concerning) {
      if (!(await mayBegin(run, 'first'))) return false;
      const delivery = { stream, position: event.position, event: event.event };
      const sent = await sendCounted(run, delivery, event, 0);
      const full = unstored.add(passedUpTo(event.position), sent.ended);
      if (full) await full;
    }
    // Events that are about something else are passed too, or a slot that reads only such events would begin there again.
    const last = decided.at(-1)?.position;
    if (last && isBefore(position, last)) await unstored.add(passedUpTo(last));
    if (decided.length < events.length) {
      run.counts.undecided = true;
      return true;
    }
    if (events.length === 0 && !isBefore(reading, upTo)) {
      // A position without matching events does not move if the feed knows that without a read. It knows only names of
      // events.
      const mustMove = at.segments.length > 1 || !isAboutAll || isBefore(position, feed.from);
      if (mustMove && isBefore(position, upTo)) await unstored.add(passedUpTo(upTo));
      return true;
    }
    reading = upTo;
  }
  return false;
}

async function sendCounted(
  run: Run,
  delivery: FinishedAttempt['of'],
  message: Message,
  failures: number,
): Promise<Sent> {
  const { options, receiver, lease, counts } = run;
  const sent = await send(options, receiver, delivery, message, failures);
  counts[sent.ended.outcome === 'delivered' ? 'delivered' : 'failed'] += 1;
  if (sent.gone) lease.end();
  if (sent.overloaded) run.isHeld = true;
  return sent;
}

/** Ends a delivery that has nothing left to send. */
function failWithoutEvent({ options, receiver, counts }: Run, retry: number): FinishedAttempt {
  const ended: FinishedAttempt = {
    subscription: receiver.id,
    of: { id: retry },
    startedAtMs: Date.now(),
    durationMs: 0,
    outcome: 'missing_event',
    status: undefined,
    error: 'The database no longer has the event.',
    response: undefined,
    retryMs: undefined,
    holdMs: undefined,
  };
  counts.failed += 1;
  options.onEnded(ended);
  return ended;
}

/** Reads the messages of due deliveries. A delivery whose event the database no longer has is left out. */
async function readMessages(
  feeds: ReadonlyMap<string, Feed>,
  due: readonly DueRetry[],
): Promise<Map<DueRetry, Message>> {
  const messages = new Map<DueRetry, Message>();
  const eventRetries = due.filter(({ checkpoint }) => checkpoint !== null);
  for (const [stream, retries] of Map.groupBy(eventRetries, (one) => one.stream)) {
    const events = await feeds.get(stream)!.findEvents(retries.map(toPosition));
    const byPosition = new Map(events.map((event) => [String(event.position), event]));
    for (const one of retries) {
      const event = byPosition.get(String(toPosition(one)));
      if (event) messages.set(one, event);
    }
  }
  for (const one of due) if (one.checkpoint === null) messages.set(one, testMessage(one));
  return messages;
}

const toPosition = ({ checkpoint, txIndex, eventIndex }: DueRetry): Position => [
  checkpoint!,
  txIndex!,
  eventIndex!,
];

/** Makes the message of a test event, whose stream is that of the registry. */
function testMessage({ stream, event, data, createdAt, id: delivery }: DueRetry): Message {
  const id = `test:${delivery}`;
  const message = { network: stream as Network, event, data, timestampMs: createdAt.getTime(), id };
  return { network: message.network, id, event, bytes: encodeMessage(message) };
}

/** Returns a function that releases leases, those of one turn together. A lease that it cannot release expires. */
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
