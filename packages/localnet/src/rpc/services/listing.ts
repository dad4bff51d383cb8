import { GrpcTypes } from '@mysten/sui/grpc';
import type { LedgerKey, TransactionRecord } from '../../ledger/types.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { checkpointMessage } from '../convert/checkpoint.ts';
import { eventMessage, executedMessage } from '../convert/executed.ts';
import { ReadMask } from '../convert/read-mask.ts';
import { parseEventFilter, parseTransactionFilter } from '../query/filter.ts';
import {
  type AvailableLedger,
  type Interval,
  type ItemLimits,
  type ListRequest,
  resolveInterval,
} from '../query/interval.ts';
import type { CursorKind } from '../query/position.ts';
import { ledgerRange, type Placed, type ScanFrame, scan } from '../query/scan.ts';
import { watermarkAt } from '../query/watermark.ts';
import type { CallContext } from '../server/service.ts';

/** Items per answer, as the full node has them. */
const listLimits = {
  event: { default: 50, max: 1000 },
  transaction: { default: 50, max: 500 },
  checkpoint: { default: 10, max: 100 },
} satisfies Record<CursorKind, ItemLimits>;

/** Transactions that one filtered request may look at before it ends with SCAN_LIMIT. */
const scanBudget = 20_000;

/** Time that one request may take before it ends with SCAN_LIMIT. */
const maxListMs = 5_000;

/** What is in the masks when a request has none. */
export const defaultMasks = {
  event: 'event_type',
  transaction: 'digest',
  checkpoint: 'sequence_number,digest',
} satisfies Record<CursorKind, string>;

export async function* listEvents(
  view: ChainView,
  request: GrpcTypes.ListEventsRequest,
  call: CallContext,
): AsyncGenerator<GrpcTypes.ListEventsResponse> {
  const mask = ReadMask.parse(GrpcTypes.Event, request.readMask, defaultMasks.event);
  const filter = request.filter && parseEventFilter(request.filter);
  const itemsOf = (transaction: TransactionRecord) =>
    transaction.events.flatMap((event) =>
      filter && !filter.matches(event)
        ? []
        : [
            {
              position: placeOf(transaction, event.index + 1),
              item: () => eventMessage(view.answer(), transaction, event, mask),
            },
          ],
    );
  const keys = filter?.keys ?? [{ kind: 'anyEvent' as const }];
  for await (const { item, ...frame } of scanLedger({ view, call, kind: 'event', request, keys, itemsOf })) {
    yield item ? { ...frame, event: item() } : frame;
  }
}

export async function* listTransactions(
  view: ChainView,
  request: GrpcTypes.ListTransactionsRequest,
  call: CallContext,
): AsyncGenerator<GrpcTypes.ListTransactionsResponse> {
  const { ExecutedTransaction } = GrpcTypes;
  const mask = ReadMask.parse(ExecutedTransaction, request.readMask, defaultMasks.transaction);
  const filter = request.filter && parseTransactionFilter(request.filter);
  const itemsOf = (transaction: TransactionRecord) =>
    filter && !filter.matches(transaction)
      ? []
      : [
          {
            position: placeOf(transaction, 0),
            item: () => executedMessage(view.answer(), transaction, mask),
          },
        ];
  for await (const { item, ...frame } of scanLedger({
    view,
    call,
    kind: 'transaction',
    request,
    keys: filter?.keys,
    itemsOf,
  })) {
    yield item ? { ...frame, transaction: item() } : frame;
  }
}

export async function* listCheckpoints(
  view: ChainView,
  request: GrpcTypes.ListCheckpointsRequest,
  call: CallContext,
): AsyncGenerator<GrpcTypes.ListCheckpointsResponse> {
  const mask = ReadMask.parse(GrpcTypes.Checkpoint, request.readMask, defaultMasks.checkpoint);
  const filter = request.filter && parseTransactionFilter(request.filter);
  const itemsOf = (transaction: TransactionRecord) =>
    filter?.matches(transaction)
      ? [{ position: placeOfCheckpoint(transaction.checkpoint), item: transaction.checkpoint }]
      : [];
  const frames = filter
    ? scanLedger({ view, call, kind: 'checkpoint', request, keys: filter.keys, itemsOf })
    : everyCheckpoint(readInterval({ view, call, kind: 'checkpoint', request }), stopwatch());
  for await (const { item, ...frame } of frames) {
    const checkpoint = item === undefined ? undefined : view.ledger.getCheckpoint({ sequence: item });
    yield checkpoint ? { ...frame, checkpoint: checkpointMessage(view.answer(), checkpoint, mask) } : frame;
  }
}

/** Without a filter every checkpoint is an item, also one without transactions. */
function* everyCheckpoint(interval: Interval, isLate: () => boolean): Generator<ScanFrame<bigint>> {
  const { lower, upper, descending, limit, farReason } = interval;
  const first = lower.checkpoint;
  // A bound inside a checkpoint leaves it to be delivered.
  const last = upper.checkpoint - (upper.event > 0 ? 0n : 1n);
  let delivered = 0;
  for (let offset = 0n; first + offset <= last; offset++) {
    const item = descending ? last - offset : first + offset;
    const { ITEM_LIMIT, SCAN_LIMIT } = GrpcTypes.QueryEndReason;
    const reason = ++delivered === limit ? ITEM_LIMIT : isLate() ? SCAN_LIMIT : undefined;
    const watermark = watermarkAt(interval, placeOfCheckpoint(item));
    yield { item, watermark, ...(reason !== undefined && { end: { reason } }) };
    if (reason !== undefined) return;
  }
  yield { watermark: watermarkAt(interval, descending ? lower : upper), end: { reason: farReason } };
}

interface LedgerList {
  view: ChainView;
  call: CallContext;
  kind: CursorKind;
  request: ListRequest;
}

interface LedgerScan<Item> extends LedgerList {
  keys: LedgerKey[] | undefined;
  itemsOf: (transaction: TransactionRecord) => Placed<Item>[];
}

function scanLedger<Item>({ keys, itemsOf, ...list }: LedgerScan<Item>): AsyncGenerator<ScanFrame<Item>> {
  const { view } = list;
  const read = (range: Parameters<typeof view.ledger.listTransactions>[0]) =>
    view.ledger.listTransactions(range);
  const isLate = stopwatch();
  return scan(readInterval(list), { read, keys, itemsOf, scanBudget, isLate });
}

function readInterval({ view, call, kind, request }: LedgerList): Interval {
  const available: AvailableLedger = {
    lowest: view.lowestCheckpoint,
    highest: view.listedCheckpoint(call),
    hasTransactionBetween(lower, upper) {
      const range = ledgerRange({ kind: 'transaction', lower, upper });
      return view.ledger.listTransactions({ ...range, ordering: 'ascending', limit: 1 }).length > 0;
    },
  };
  return resolveInterval(kind, request, available, listLimits[kind]);
}

/** Starts now; tells whether the time for one request has passed. */
function stopwatch(): () => boolean {
  const started = performance.now();
  return () => performance.now() - started > maxListMs;
}

const placeOf = ({ checkpoint, transactionIndex }: TransactionRecord, event: number) => ({
  checkpoint,
  transaction: transactionIndex + 1,
  event,
});

const placeOfCheckpoint = (checkpoint: bigint) => ({ checkpoint, transaction: 1, event: 0 });
