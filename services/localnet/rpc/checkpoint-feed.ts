import type { Ledger } from '../ledger/ledger.ts';
import type { CheckpointRecord, TransactionRecord } from '../ledger/types.ts';
import type { CallContext } from './server/service.ts';
import { GrpcError, GrpcStatusCode } from './server/status.ts';

/** Bounds of the full node: a subscriber that is this many checkpoints behind is dropped. */
const maxQueued = 256;
const maxSubscribers = 1024;

export interface CheckpointUpdate {
  checkpoint: CheckpointRecord;
  transactions: TransactionRecord[];
}

interface Subscriber {
  queue: CheckpointUpdate[];
  context: CallContext;
  wake: (() => void) | undefined;
}

/** Hands every new checkpoint to its subscribers, each at its own pace within a bound. */
export class CheckpointFeed {
  readonly #subscribers = new Set<Subscriber>();
  readonly #stop: () => void;

  constructor(ledger: Pick<Ledger, 'onCheckpoint'>) {
    this.#stop = ledger.onCheckpoint((checkpoint, transactions) => {
      for (const subscriber of this.#subscribers) this.#offer(subscriber, { checkpoint, transactions });
    });
  }

  /**
   * Checkpoints from this moment on (not from the first reading), in order and without gaps, until the call ends.
   */
  subscribe(context: CallContext): AsyncGenerator<CheckpointUpdate> {
    if (this.#subscribers.size >= maxSubscribers) {
      throw new GrpcError(GrpcStatusCode.UNAVAILABLE, `there are ${maxSubscribers} subscribers already`);
    }
    const subscriber: Subscriber = { queue: [], context, wake: undefined };
    this.#subscribers.add(subscriber);
    context.signal.addEventListener('abort', () => this.#drop(subscriber), { once: true });
    return this.#updates(subscriber);
  }

  async *#updates(subscriber: Subscriber): AsyncGenerator<CheckpointUpdate> {
    const { signal } = subscriber.context;
    while (!signal.aborted) {
      const update = subscriber.queue.shift();
      if (update) {
        yield update;
        continue;
      }
      await new Promise<void>((resolve) => {
        subscriber.wake = resolve;
      });
    }
  }

  /** Ends the feed; open calls are for the server to end. */
  close(): void {
    this.#stop();
  }

  #offer(subscriber: Subscriber, update: CheckpointUpdate): void {
    if (subscriber.queue.length >= maxQueued) {
      this.#drop(subscriber);
      const reason = `dropped: the subscriber is ${maxQueued} checkpoints behind`;
      subscriber.context.fail(new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, reason));
      return;
    }
    subscriber.queue.push(update);
    subscriber.wake?.();
  }

  #drop(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    subscriber.queue = [];
    subscriber.wake?.();
  }
}
