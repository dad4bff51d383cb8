import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError, RpcOutputStreamController } from '@protobuf-ts/runtime-rpc';
import type { LedgerNode } from '../node.ts';

const { QueryEndReason } = GrpcTypes;

/** Checkpoints of their transactions, at least one each: `true` if the filter matches the transaction. */
export type ModelChain = boolean[][];

/** A full node of a pool: the same chain, as far as this node is. */
export interface Backend {
  /** Highest checkpoint that its subscriptions have sent. */
  tip: number;
  /** Highest checkpoint of its list index. */
  indexTip: number;
}

/** Transactions are numbered across all checkpoints. A cursor is an item, or the position before a transaction. */
interface Cursor {
  /** Url of the provider that made it. */
  by: string;
  isItem: boolean;
  checkpoint: number;
  sequence: number;
}

interface ModelNodeOptions {
  /** Default: `model`. */
  url?: string | undefined;
  /** Providers of one network share it. */
  chain: ModelChain;
  backends: Backend[];
  /** The backend that answers the next call. */
  pick(): Backend;
  /** Frames after which the next stream breaks. */
  nextDrop?: (() => number) | undefined;
  /** Frames after which the next subscription falls silent. */
  nextStall?: (() => number) | undefined;
  /** Error of the next call, if it is refused. */
  refuse?: (() => RpcError | undefined) | undefined;
  /** Maximum number of items in a list, and of transactions that it looks at. */
  pageMax: number;
  scanMax: number;
  /** Checkpoints without a frame after which a subscription reports its progress. */
  tickEvery: number;
}

type Page = GrpcTypes.ListTransactionsResponse[];

/**
 * A pool of full nodes behind one address, by the rules of the node's `subscription_service.rs`, `query_options.rs` and
 * `watermark.rs`, in memory and without delays.
 */
export class ModelNode {
  readonly url: string;
  readonly calls = { list: 0, subscribe: 0 };
  readonly #options: ModelNodeOptions;
  readonly #counted: number[] = [0];
  readonly #streams = new Set<() => void>();
  readonly #open = new Set<(error: Error) => void>();

  constructor(options: ModelNodeOptions) {
    this.url = options.url ?? 'model';
    this.#options = options;
  }

  /** Number of the first transaction of each checkpoint, and of the one after the last. */
  get #starts(): readonly number[] {
    const { chain } = this.#options;
    for (let next = this.#counted.length - 1; next < chain.length; next++) {
      this.#counted.push(this.#counted.at(-1)! + chain[next]!.length);
    }
    return this.#counted;
  }

  get node(): LedgerNode {
    const client = {
      ledgerService: {
        listTransactions: (request: GrpcTypes.ListTransactionsRequest, options: CallOptions) =>
          this.#answer(options, (send, end) => {
            this.calls.list += 1;
            const drop = this.#options.nextDrop?.() ?? Number.POSITIVE_INFINITY;
            const page = this.#list(request, this.#options.pick());
            page.slice(0, drop).forEach(send);
            end(page.length > drop ? broken() : undefined);
            return undefined;
          }),
      },
      subscriptionService: {
        subscribeTransactions: (_request: unknown, options: CallOptions) =>
          this.#answer(options, (send, end) => this.#subscribe(send, end)),
      },
    };
    return {
      url: this.url,
      client: client as unknown as LedgerNode['client'],
      info: async () => {
        const refusal = this.#options.refuse?.();
        if (refusal) throw refusal;
        const { tip } = this.#options.pick();
        return { chainId: 'model', tip, tipAt: new Date(0), lowestAvailable: 0 };
      },
      readDigest: async (checkpoint) => String(checkpoint),
      close: () => undefined,
    };
  }

  /** Lets a backend grow, and its subscriptions see it. */
  grow(backend: Backend, tip: number, indexTip = tip): void {
    backend.tip = Math.max(backend.tip, Math.min(tip, this.#options.chain.length - 1));
    backend.indexTip = Math.max(backend.indexTip, Math.min(indexTip, backend.tip));
    for (const deliver of this.#streams) deliver();
  }

  extend(): void {
    this.#options.chain.push([false]);
  }

  /** Closes every open call, as a restart does. */
  breakCalls(): void {
    for (const end of [...this.#open]) end(broken());
  }

  #answer<Message extends object>(
    options: CallOptions,
    serve: (send: (message: Message) => void, end: (error?: Error) => void) => (() => void) | undefined,
  ) {
    const responses = new RpcOutputStreamController<Message>();
    let isOver = false;
    const end = (error?: Error) => {
      if (isOver) return;
      isOver = true;
      this.#open.delete(end);
      if (error) responses.notifyError(error);
      else responses.notifyComplete();
    };
    const send = (message: Message) => {
      if (!isOver) responses.notifyMessage(message);
    };
    const headers = Promise.withResolvers<object>();
    headers.promise.catch(() => undefined);
    this.#open.add(end);
    setImmediate(() => {
      const refusal = this.#options.refuse?.();
      if (refusal) {
        headers.reject(refusal);
        end(refusal);
        return;
      }
      headers.resolve({});
      let stop: (() => void) | undefined;
      try {
        stop = serve(send, end);
      } catch (error) {
        end(error as Error);
      }
      options.abort?.addEventListener('abort', () => {
        stop?.();
        end(new RpcError('aborted', 'CANCELLED'));
      });
    });
    return { headers: headers.promise, responses };
  }

  #subscribe(
    send: (message: GrpcTypes.SubscribeTransactionsResponse) => void,
    end: (error?: Error) => void,
  ): () => void {
    this.calls.subscribe += 1;
    const backend = this.#options.pick();
    const drop = this.#options.nextDrop?.() ?? Number.POSITIVE_INFINITY;
    const stall = this.#options.nextStall?.() ?? Number.POSITIVE_INFINITY;
    let next = backend.tip + 1;
    let entry: number | undefined;
    let boundary: bigint | undefined;
    let quiet = 0;
    let sent = 0;
    const stop = () => this.#streams.delete(deliver);
    const emit = (frame: GrpcTypes.SubscribeTransactionsResponse) => {
      if (sent >= stall) return;
      if (sent++ < drop) return send(frame);
      stop();
      end(broken());
    };
    const emitTick = (checkpoint: number) => {
      entry ??= checkpoint + 1;
      if (checkpoint >= entry) boundary = BigInt(checkpoint);
      const cursor = { isItem: false, checkpoint: checkpoint + 1, sequence: this.#starts[checkpoint + 1]! };
      emit({ watermark: { cursor: this.#encode(cursor), checkpoint: boundary } });
    };
    const deliver = () => {
      for (; next <= backend.tip; next++) {
        if (entry === undefined && next > 0) emitTick(next - 1);
        const matches = this.#matches(this.#starts[next]!, this.#starts[next + 1]!);
        for (const { item, checkpoint } of matches) {
          entry ??= checkpoint;
          if (checkpoint - 1 >= entry) boundary = BigInt(checkpoint - 1);
          emit({
            transaction: item,
            watermark: { cursor: this.#encode(itemAt(item)), checkpoint: boundary },
          });
        }
        quiet = matches.length > 0 ? 0 : quiet + 1;
        if (quiet === this.#options.tickEvery) {
          quiet = 0;
          emitTick(next);
        }
      }
    };
    this.#streams.add(deliver);
    return stop;
  }

  #list(
    { startCheckpoint, endCheckpoint, options }: GrpcTypes.ListTransactionsRequest,
    backend: Backend,
  ): Page {
    const tip = backend.indexTip + 1;
    const requestedEnd = endCheckpoint === undefined ? tip : Number(endCheckpoint);
    const rangeReason =
      endCheckpoint === undefined || requestedEnd > tip
        ? QueryEndReason.LEDGER_TIP
        : QueryEndReason.CHECKPOINT_BOUND;
    const end = Math.min(requestedEnd, tip);
    const after = options?.after && this.#decode(options.after);
    const isCut = after !== undefined && after.checkpoint >= Number(startCheckpoint ?? 0n);
    const entry = isCut ? after.checkpoint : Number(startCheckpoint ?? 0n);
    const boundary = (checkpoint: number) => ({
      isItem: false,
      checkpoint,
      sequence: this.#starts[checkpoint]!,
    });
    if (entry >= tip) return [this.#endFrame(boundary(tip), undefined, QueryEndReason.LEDGER_TIP)];
    if (entry >= end) {
      const reason = isCut ? QueryEndReason.CURSOR_BOUND : rangeReason;
      return [this.#endFrame(boundary(end), undefined, reason)];
    }
    const first = isCut ? after.sequence + (after.isItem ? 1 : 0) : this.#starts[entry]!;
    const last = this.#starts[end]!;
    if (first >= last) return [this.#endFrame(after!, undefined, QueryEndReason.CURSOR_BOUND)];

    const { pageMax, scanMax } = this.#options;
    const limit = Math.min(options?.limit ?? 50, pageMax);
    const page: Page = [];
    let covered: bigint | undefined;
    for (const { item, checkpoint } of this.#matches(first, Math.min(last, first + scanMax))) {
      if (checkpoint - 1 >= entry) covered = BigInt(checkpoint - 1);
      page.push({
        transaction: item,
        watermark: { cursor: this.#encode(itemAt(item)), checkpoint: covered },
      });
      if (page.length < limit) continue;
      page.at(-1)!.end = { reason: QueryEndReason.ITEM_LIMIT };
      return page;
    }
    if (last <= first + scanMax) {
      page.push(this.#endFrame(boundary(end), BigInt(end - 1), rangeReason));
      return page;
    }
    // The frontier's checkpoint is the one of the last transaction that was looked at.
    const frontier = {
      isItem: false,
      checkpoint: this.#findCheckpoint(first + scanMax - 1),
      sequence: first + scanMax,
    };
    if (frontier.checkpoint - 1 >= entry) covered = BigInt(frontier.checkpoint - 1);
    page.push(this.#endFrame(frontier, covered, QueryEndReason.SCAN_LIMIT));
    return page;
  }

  #encode(cursor: Omit<Cursor, 'by'>): Uint8Array {
    return Buffer.from(JSON.stringify({ by: this.url, ...cursor }));
  }

  /** @throws Error for the cursor of another provider */
  #decode(bytes: Uint8Array): Cursor {
    const cursor: Cursor = JSON.parse(Buffer.from(bytes).toString());
    if (cursor.by !== this.url) throw new Error(`${this.url} was given a cursor of ${cursor.by}`);
    return cursor;
  }

  #endFrame(
    cursor: Omit<Cursor, 'by'>,
    checkpoint: bigint | undefined,
    reason: GrpcTypes.QueryEndReason,
  ): Page[number] {
    return { watermark: { cursor: this.#encode(cursor), checkpoint }, end: { reason } };
  }

  #matches(first: number, last: number) {
    const found: { item: GrpcTypes.ExecutedTransaction; checkpoint: number }[] = [];
    for (let sequence = first; sequence < last; sequence++) {
      const checkpoint = this.#findCheckpoint(sequence);
      const index = sequence - this.#starts[checkpoint]!;
      if (!this.#options.chain[checkpoint]![index]) continue;
      const item = GrpcTypes.ExecutedTransaction.create({
        digest: String(sequence),
        checkpoint: BigInt(checkpoint),
        transactionIndex: BigInt(index),
      });
      found.push({ item, checkpoint });
    }
    return found;
  }

  #findCheckpoint(sequence: number): number {
    return this.#starts.findLastIndex((start) => start <= sequence);
  }
}

interface CallOptions {
  abort?: AbortSignal;
}

const itemAt = ({ checkpoint, digest }: GrpcTypes.ExecutedTransaction) => ({
  isItem: true,
  checkpoint: Number(checkpoint),
  sequence: Number(digest),
});

const broken = () => new RpcError('the stream broke', 'UNAVAILABLE');
