import { GrpcTypes } from '@mysten/sui/grpc';
import { GrpcError, GrpcStatusCode } from '../server/status.ts';
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

/** The checkpoints that there are to read. */
interface AvailableRange {
  lowest: bigint;
  highest: bigint;
}

/** What a request asks for, resolved against what there is: the items strictly between two places. */
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
 * Checkpoint range and cursors compose by intersection, whatever the ordering. A lower bound that was left out
 * begins at what is available; one that was given and is pruned is an error, so that a gap is never silent.
 *
 * @throws GrpcError OUT_OF_RANGE below the lowest available checkpoint, INVALID_ARGUMENT for a foreign cursor.
 */
export function resolveInterval(
  kind: CursorKind,
  request: ListRequest,
  available: AvailableRange,
  limits: ItemLimits,
): Interval {
  const { options } = request;
  const after = options?.after && decodeCursor(kind, options.after, 'options.after');
  const before = options?.before && decodeCursor(kind, options.before, 'options.before');
  const descending = options?.ordering === Ordering.DESCENDING;
  const floor = startOf(available.lowest);
  const tip = startOf(available.highest + 1n);

  const start = request.startCheckpoint === undefined ? undefined : startOf(request.startCheckpoint);
  for (const bound of [start, after]) {
    if (bound && compare(bound, floor) < 0) throw pruned(bound.checkpoint, available.lowest);
  }
  const first = start ?? floor;
  const asked = request.endCheckpoint === undefined ? undefined : startOf(request.endCheckpoint);
  const last = earliest(asked ?? tip, tip);

  return {
    kind,
    lower: latest(first, after ?? first),
    upper: earliest(last, before ?? last),
    descending,
    limit: Math.min(options?.limit || limits.default, limits.max),
    farReason: descending ? endAt(after, first) : endAt(before, last, !asked || compare(asked, tip) > 0),
  };

  /** A cursor is the far bound where it is tighter than the checkpoint range. */
  function endAt(cursor: Position | undefined, bound: Position, isTip = false): GrpcTypes.QueryEndReason {
    const isTighter = cursor && compare(cursor, bound) * (descending ? 1 : -1) > 0;
    if (isTighter) return QueryEndReason.CURSOR_BOUND;
    return isTip ? QueryEndReason.LEDGER_TIP : QueryEndReason.CHECKPOINT_BOUND;
  }
}

const latest = (left: Position, right: Position) => (compare(left, right) < 0 ? right : left);
const earliest = (left: Position, right: Position) => (compare(left, right) < 0 ? left : right);

const pruned = (asked: bigint, lowest: bigint) =>
  new GrpcError(
    GrpcStatusCode.OUT_OF_RANGE,
    `requested data below earliest available: checkpoint ${asked} is pruned, the earliest available is ${lowest}`,
  );
