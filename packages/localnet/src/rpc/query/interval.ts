import { GrpcTypes } from '@mysten/sui/grpc';
import { GrpcError, GrpcStatusCode } from '../server/status.ts';
import { invalidField } from '../server/status-details.ts';
import { type CursorKind, compare, decodeCursor, type Position, startOf } from './position.ts';

const { Ordering, QueryEndReason } = GrpcTypes;

/** What the three List requests have in common. */
export interface ListRequest {
  startCheckpoint?: bigint;
  endCheckpoint?: bigint;
  options?: GrpcTypes.QueryOptions;
}

export interface ItemLimits {
  default: number;
  max: number;
}

/** The ledger that there is to read. */
export interface AvailableLedger {
  /** Lowest checkpoint that is not pruned. */
  lowest: bigint;
  /** Highest checkpoint of the index. */
  highest: bigint;
  /** `true` if a transaction lies strictly between two positions. */
  hasTransactionBetween(lower: Position, upper: Position): boolean;
}

/** A request resolved against the ledger: the items strictly between two positions. */
export interface Interval {
  kind: CursorKind;
  lower: Position;
  upper: Position;
  descending: boolean;
  limit: number;
  /** Why the scan stops when it reaches its far bound. */
  farReason: GrpcTypes.QueryEndReason;
}

/**
 * Checkpoint range and cursors compose by intersection, whatever the ordering, as in `ledger_history/query_options.rs` of
 * the full node. A cursor that leaves nothing of the range ends the list with CURSOR_BOUND, unless it lies beyond the tip.
 * A lower bound that was left out begins at what is available; one that was given and is pruned is an error, so that a
 * gap is never silent.
 *
 * @throws GrpcError OUT_OF_RANGE below the lowest available checkpoint, INVALID_ARGUMENT for a range that ends before it
 * starts, an unknown ordering and a foreign cursor.
 */
export function resolveInterval(
  kind: CursorKind,
  request: ListRequest,
  available: AvailableLedger,
  limits: ItemLimits,
): Interval {
  const { options, startCheckpoint, endCheckpoint } = request;
  const start = startCheckpoint ?? 0n;
  if (endCheckpoint !== undefined && endCheckpoint < start) {
    throw invalidField('end_checkpoint', 'end_checkpoint must be greater than or equal to start_checkpoint');
  }
  const descending = isDescending(options?.ordering);
  const after = options?.after && decodeCursor(kind, options.after, 'options.after');
  const before = options?.before && decodeCursor(kind, options.before, 'options.before');
  const limit = Math.min(Math.max(options?.limit ?? limits.default, 1), limits.max);
  const resolve = (lower: Position, upper: Position, farReason: GrpcTypes.QueryEndReason): Interval => ({
    kind,
    lower,
    upper,
    descending,
    limit,
    farReason,
  });

  const tip = available.highest + 1n;
  const end = endCheckpoint === undefined || endCheckpoint > tip ? tip : endCheckpoint;
  if (start >= tip || (after && after.checkpoint >= tip)) {
    return resolve(startOf(tip), startOf(tip), QueryEndReason.LEDGER_TIP);
  }
  const isBoundAfter = after !== undefined && compare(after, startOf(start)) >= 0;
  const isBoundBefore = before !== undefined && compare(before, startOf(end)) <= 0;
  const isCutByCursor = isBoundAfter || isBoundBefore;
  const isFarTip = !descending && (endCheckpoint === undefined || endCheckpoint > tip);
  const rangeReason = isFarTip ? QueryEndReason.LEDGER_TIP : QueryEndReason.CHECKPOINT_BOUND;
  const emptyReason = isCutByCursor ? QueryEndReason.CURSOR_BOUND : rangeReason;

  const first = isBoundAfter ? after.checkpoint : start;
  const last = isBoundBefore ? checkpointAfter(before) : end;
  if (first >= last) {
    const at = startOf(descending ? first : last);
    return resolve(at, at, emptyReason);
  }
  const lower = isBoundAfter ? passed(kind, after) : startOf(start);
  const upper = isBoundBefore ? reached(kind, before) : startOf(end);
  const isEmpty =
    compare(lower, upper) >= 0 ||
    (kind === 'transaction' && isCutByCursor && !available.hasTransactionBetween(lower, upper));
  if (isEmpty) {
    const at = isBoundBefore ? upper : lower;
    return resolve(at, at, emptyReason);
  }
  const floor = startOf(available.lowest);
  const isPruned = compare(lower, floor) < 0;
  if (isPruned && (startCheckpoint !== undefined || after)) throw pruned(lower.checkpoint, available.lowest);
  const isFarCursor = descending ? isBoundAfter : isBoundBefore;
  const farReason = isFarCursor ? QueryEndReason.CURSOR_BOUND : rangeReason;
  return resolve(isPruned ? floor : lower, upper, farReason);
}

function isDescending(ordering: GrpcTypes.Ordering | undefined): boolean {
  if (ordering === undefined || ordering === Ordering.ASCENDING) return false;
  if (ordering === Ordering.DESCENDING) return true;
  throw invalidField('options.ordering', 'invalid ordering');
}

/** First checkpoint of which a position excludes everything. */
const checkpointAfter = ({ checkpoint, transaction, event }: Position) =>
  transaction === 0 && event === 0 ? checkpoint : checkpoint + 1n;

/** The position of a checkpoint that was delivered stands for the whole of it. */
const isWholeCheckpoint = (kind: CursorKind, { transaction, event }: Position) =>
  kind === 'checkpoint' && transaction > 0 && event === 0;

const passed = (kind: CursorKind, after: Position) =>
  isWholeCheckpoint(kind, after) ? startOf(after.checkpoint + 1n) : after;

const reached = (kind: CursorKind, before: Position) =>
  isWholeCheckpoint(kind, before) ? startOf(before.checkpoint) : before;

const pruned = (asked: bigint, lowest: bigint) =>
  new GrpcError(
    GrpcStatusCode.OUT_OF_RANGE,
    `requested data below earliest available: checkpoint ${asked} is pruned, the earliest available is ${lowest}`,
  );
