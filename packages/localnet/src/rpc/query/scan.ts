import { setImmediate } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import type { LedgerKey, LedgerPosition, LedgerScan, TransactionRecord } from '../../ledger/types.ts';
import type { Interval } from './interval.ts';
import { compare, type Position } from './position.ts';
import { watermarkAt } from './watermark.ts';

const { QueryEndReason } = GrpcTypes;

/** Transactions read from the ledger at a time; between two readings, others get their turn. */
const batchSize = 250;

/** One frame of a List stream: an item or progress, always a watermark, on the last one the end. */
export interface ScanFrame<Item> {
  item?: Item;
  watermark: GrpcTypes.Watermark;
  end?: GrpcTypes.QueryEnd;
}

export interface Placed<Item> {
  position: Position;
  item: Item;
}

export interface ScanSource<Item> {
  read(scan: LedgerScan): TransactionRecord[];
  /** Index keys of which every transaction with items has at least one; undefined: no such set. */
  keys: LedgerKey[] | undefined;
  /** What matches in a transaction, in ledger order. */
  itemsOf(transaction: TransactionRecord): Placed<Item>[];
  /** Maximum number of transactions looked at for one request before it ends with SCAN_LIMIT. */
  scanBudget: number;
  /** Whether the time for one request is used up, which ends it the same way. */
  isLate(): boolean;
}

/**
 * Reads an interval of the ledger: a frame per item, a progress frame per batch without any, and at the end
 * exactly one frame with the reason why it ends there.
 */
export async function* scan<Item>(
  interval: Interval,
  source: ScanSource<Item>,
): AsyncGenerator<ScanFrame<Item>> {
  const { kind, descending, limit } = interval;
  const far = descending ? interval.lower : interval.upper;
  let frontier = descending ? interval.upper : interval.lower;
  let rest = ledgerRange(interval);
  let scanned = 0;
  let delivered = 0;
  let lastCheckpoint: bigint | undefined;
  /** Last checkpoint that a frame covered. */
  let covered: bigint | undefined;

  const frameAt = (position: Position) => {
    const watermark = watermarkAt(interval, position);
    covered = watermark.checkpoint;
    return { watermark };
  };
  const isAhead = (left: Position, right: Position) => compare(left, right) * (descending ? -1 : 1) > 0;
  const isWanted = (position: Position) =>
    // Several transactions may make the same checkpoint match.
    kind === 'checkpoint'
      ? position.checkpoint !== lastCheckpoint
      : isAhead(position, frontier) && isAhead(far, position);

  while (compare(interval.lower, interval.upper) < 0) {
    const size = Math.min(batchSize, source.scanBudget - scanned);
    const ordering = descending ? 'descending' : 'ascending';
    const batch = source.read({ ...rest, ordering, limit: size, ...(source.keys && { anyOf: source.keys }) });
    const deliveredBefore = delivered;
    for (const transaction of batch) {
      const items = source.itemsOf(transaction);
      if (descending) items.reverse();
      for (const { position, item } of items) {
        if (!isWanted(position)) continue;
        frontier = position;
        lastCheckpoint = position.checkpoint;
        delivered += 1;
        const isLast = delivered === limit;
        yield { item, ...frameAt(position), ...(isLast && { end: { reason: QueryEndReason.ITEM_LIMIT } }) };
        if (isLast) return;
      }
    }
    const last = batch.at(-1);
    if (!last || batch.length < size) break;
    const passed = placePassed(interval, last);
    if (!isAhead(far, passed)) break;
    // Within a delivered checkpoint the frontier stays: it has passed the whole of it.
    if (isAhead(passed, frontier) && !(kind === 'checkpoint' && last.checkpoint === lastCheckpoint)) {
      frontier = passed;
    }
    rest = descending ? { ...rest, to: placeOf(last) } : { ...rest, from: placeAfter(last) };
    scanned += batch.length;
    if (scanned >= source.scanBudget || source.isLate()) {
      yield { ...frameAt(frontier), end: { reason: QueryEndReason.SCAN_LIMIT } };
      return;
    }
    if (delivered === deliveredBefore) yield frameAt(frontier);
    await setImmediate();
  }
  const coveredByItems = covered;
  const { watermark } = frameAt(isAhead(far, frontier) ? far : frontier);
  // A cursor bound claims no more than the items before it did.
  const isClaimed = interval.farReason !== QueryEndReason.CURSOR_BOUND;
  yield {
    watermark: isClaimed ? watermark : { cursor: watermark.cursor, checkpoint: coveredByItems },
    end: { reason: interval.farReason },
  };
}

/** The transactions whose items may lie in the interval. */
export function ledgerRange({ kind, lower, upper }: Pick<Interval, 'kind' | 'lower' | 'upper'>): {
  from: LedgerPosition;
  to: LedgerPosition;
} {
  const from = {
    checkpoint: lower.checkpoint,
    // More events of the transaction at the bound may follow.
    transactionIndex: kind === 'event' ? Math.max(lower.transaction - 1, 0) : lower.transaction,
  };
  const to = {
    checkpoint: upper.checkpoint,
    transactionIndex:
      kind === 'event' && upper.event > 0 ? upper.transaction : Math.max(upper.transaction - 1, 0),
  };
  return { from, to };
}

const placeOf = ({ checkpoint, transactionIndex }: TransactionRecord) => ({ checkpoint, transactionIndex });

const placeAfter = ({ checkpoint, transactionIndex }: TransactionRecord) => ({
  checkpoint,
  transactionIndex: transactionIndex + 1,
});

/** The place where nothing of `transaction` is left to read. */
function placePassed({ kind, descending }: Interval, transaction: TransactionRecord): Position {
  const { checkpoint, transactionIndex } = transaction;
  // Not the checkpoint's own place: the rest of it is still to be read.
  if (kind === 'checkpoint') return { checkpoint, transaction: transactionIndex + 1, event: 1 };
  // Going up, the place after a transaction's events is the one before the next transaction's.
  const after = kind === 'event' && !descending ? 2 : 1;
  return { checkpoint, transaction: transactionIndex + after, event: 0 };
}
