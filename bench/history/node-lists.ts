import { GrpcError, GrpcStatusCode } from '@adaptor-marketplace/localnet/rpc/server/status';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { SparseChain } from './sparse-chain.ts';

const { QueryEndReason } = GrpcTypes;

/** A node's default: the most transactions of one list. */
const pageMax = 500;
/** A node reports progress four times in a list that reaches its scan limit. */
const progressPerScan = 4;

interface ListOptions {
  chain: SparseChain;
  tip: number;
  /** Transactions that one list looks through before it ends with SCAN_LIMIT. */
  scanTransactions: number;
  createMessage: (match: number) => GrpcTypes.ExecutedTransaction;
}

/**
 * Lists the matches as a full node does (`query_options.rs` and `watermark.rs` of sui-rpc-api): pages, the scan limit,
 * ends by range, cursor and tip, and no checkpoint that is not complete. A cursor is the number of transactions up to it.
 * A node counts the rows of its index that it evaluates to its scan limit; here all transactions count.
 */
export function* listMatches(
  { chain, tip, scanTransactions, createMessage }: ListOptions,
  { startCheckpoint = 0n, endCheckpoint, options }: GrpcTypes.ListTransactionsRequest,
): Generator<GrpcTypes.ListTransactionsResponse> {
  const { transactionsPerCheckpoint: perCheckpoint } = chain.shape;
  const start = Number(startCheckpoint);
  const indexed = tip + 1;
  const end = Math.min(indexed, Number(endCheckpoint ?? indexed));
  if (endCheckpoint !== undefined && endCheckpoint < startCheckpoint) {
    throw new GrpcError(GrpcStatusCode.INVALID_ARGUMENT, 'end_checkpoint is below start_checkpoint');
  }
  const isToTip = endCheckpoint === undefined || Number(endCheckpoint) > indexed;
  const rangeReason = isToTip ? QueryEndReason.LEDGER_TIP : QueryEndReason.CHECKPOINT_BOUND;
  const after = options?.after && decodeCursor(options.after);
  const isCut = after !== undefined && after >= start * perCheckpoint;
  const first = isCut ? after : start * perCheckpoint;
  const last = end * perCheckpoint;
  const entry = Math.floor(first / perCheckpoint);

  const mark = (sequence: number) => {
    const covered = Math.floor(sequence / perCheckpoint) - 1;
    const checkpoint = covered >= entry ? BigInt(covered) : undefined;
    return { cursor: encodeCursor(sequence), checkpoint };
  };
  if (first >= last) {
    const watermark = { cursor: encodeCursor(last) };
    if (first >= indexed * perCheckpoint)
      return yield { watermark, end: { reason: QueryEndReason.LEDGER_TIP } };
    return yield { watermark, end: { reason: isCut ? QueryEndReason.CURSOR_BOUND : rangeReason } };
  }
  const limit = Math.min(options?.limit ?? 50, pageMax);
  const stop = Math.min(last, first + scanTransactions);
  const progressEvery = Math.ceil(scanTransactions / progressPerScan);
  let progressAt = first + progressEvery;
  let sent = 0;
  for (let match = chain.findMatch(first); match < chain.shape.matches; match += 1) {
    const sequence = chain.findSequence(match);
    if (sequence >= stop) break;
    for (; progressAt <= sequence; progressAt += progressEvery) yield { watermark: mark(progressAt) };
    const item = {
      transaction: createMessage(match),
      // An item never proves its own checkpoint complete.
      watermark: { ...mark(sequence), cursor: encodeCursor(sequence + 1) },
    };
    if (++sent === limit) return yield { ...item, end: { reason: QueryEndReason.ITEM_LIMIT } };
    yield item;
  }
  for (; progressAt < stop; progressAt += progressEvery) yield { watermark: mark(progressAt) };
  const reason = stop < last ? QueryEndReason.SCAN_LIMIT : rangeReason;
  yield { watermark: mark(stop), end: { reason } };
}

export const encodeCursor = (sequence: number) => Buffer.from(`sequence ${sequence}`);
const decodeCursor = (cursor: Uint8Array) => Number(Buffer.from(cursor).toString().split(' ')[1]);
