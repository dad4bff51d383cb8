import type { GrpcTypes } from '@mysten/sui/grpc';
import type { Interval } from './interval.ts';
import { encodeCursor, type Position } from './position.ts';

/**
 * Where a scan of the interval stands after everything up to and including `position` was delivered. The
 * checkpoint is the last one in scan direction of which nothing more will come; absent until there is one.
 */
export function watermarkAt(interval: Interval, position: Position): GrpcTypes.Watermark {
  const covered = coveredCheckpoint(interval, position);
  const inside = interval.descending
    ? covered < interval.upper.checkpoint ||
      (covered === interval.upper.checkpoint && !atBoundary(interval.upper))
    : covered >= interval.lower.checkpoint;
  const cursor = encodeCursor(interval.kind, position);
  return inside ? { cursor, checkpoint: covered } : { cursor };
}

function coveredCheckpoint({ kind, descending }: Interval, position: Position): bigint {
  // An item of a checkpoint listing is its whole checkpoint.
  if (kind === 'checkpoint' && position.event === 0 && !atBoundary(position)) return position.checkpoint;
  if (!descending) return position.checkpoint - 1n;
  return atBoundary(position) ? position.checkpoint : position.checkpoint + 1n;
}

const atBoundary = ({ transaction, event }: Position) => transaction === 0 && event === 0;
