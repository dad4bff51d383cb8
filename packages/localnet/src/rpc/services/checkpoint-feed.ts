import type { Ledger } from '../../ledger/ledger.ts';
import type { CheckpointRecord, TransactionRecord } from '../../ledger/types.ts';
import type { CallContext } from '../server/service.ts';
import { GrpcError, GrpcStatusCode } from '../server/status.ts';

/** Bounds of the full node: a subscriber that is this many checkpoints behind is dropped. */
const maxQueued = 256;
const maxSubscribers = 1024;

/** A new checkpoint, the same object for all subscribers. */
export class CheckpointUpdate {
  readonly checkpoint: CheckpointRecord;
  readonly transactions: TransactionRecord[];
  readonly #made = new Map<string, unknown>();

  constructor(checkpoint: CheckpointRecord, transactions: TransactionRecord[]) {
    this.checkpoint = checkpoint;
    this.transactions = transactions;
  }

  /** What `make` makes of this checkpoint, made by the first who asks: a thousand may ask for the same. */
  once<Made>(key: string, make: () => Made): Made {
    if (!this.#made.has(key)) this.#made.set(key, make());
    return this.#made.get(key) as Made;
  }
}

interface Subscriber {
  queue: CheckpointUpdate[];
  context: CallContext;
  lag: number;
  wake: (() => void) | undefined;
}

/** Hands every new checkpoint to its subscribers, each at its own pace within a bound. */
export class CheckpointFeed {
  readonly #subscribers = new Set<Subscriber>();
  readonly #stop: (() => void)[];

  constructor(ledger: Pick<Ledger, 'onCheckpoint' | 'onReset'>) {
    this.#stop = [
      ledger.onCheckpoint((checkpoint, transactions) => {
        const update = new CheckpointUpdate(checkpoint, transactions);
        for (const subscriber of this.#subscribers) this.#offer(subscriber, update);
      }),
      // No subscription goes on from one chain to another, as none outlives a node that is set up again.
      ledger.onReset(() => {
        for (const subscriber of this.#subscribers) this.#end(subscriber, newChain());
      }),
    ];
  }

  /**
   * Checkpoints from this moment on (not from the first reading), in order and without gaps, until the call ends.
   * @param lag checkpoints that a late node keeps back
   */
  subscribe(context: CallContext, lag = 0): AsyncGenerator<CheckpointUpdate> {
    if (this.#subscribers.size >= maxSubscribers) {
      throw new GrpcError(GrpcStatusCode.UNAVAILABLE, `subscriber limit of ${maxSubscribers} reached`);
    }
    const subscriber: Subscriber = { queue: [], context, lag, wake: undefined };
    this.#subscribers.add(subscriber);
    context.signal.addEventListener('abort', () => this.#drop(subscriber), { once: true });
    return this.#updates(subscriber);
  }

  async *#updates(subscriber: Subscriber): AsyncGenerator<CheckpointUpdate> {
    const { signal } = subscriber.context;
    while (!signal.aborted) {
      const update = subscriber.queue.length > subscriber.lag ? subscriber.queue.shift() : undefined;
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
    for (const stop of this.#stop) stop();
  }

  #offer(subscriber: Subscriber, update: CheckpointUpdate): void {
    if (subscriber.queue.length >= maxQueued + subscriber.lag) {
      const reason = `dropped: the subscriber is ${maxQueued} checkpoints behind`;
      this.#end(subscriber, new GrpcError(GrpcStatusCode.RESOURCE_EXHAUSTED, reason));
      return;
    }
    subscriber.queue.push(update);
    subscriber.wake?.();
  }

  #end(subscriber: Subscriber, error: GrpcError): void {
    this.#drop(subscriber);
    subscriber.context.fail(error);
  }

  #drop(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    subscriber.queue = [];
    subscriber.wake?.();
  }
}

const newChain = () => new GrpcError(GrpcStatusCode.UNAVAILABLE, 'the network started another chain');
