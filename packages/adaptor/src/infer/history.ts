import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError, type RpcOptions } from '@protobuf-ts/runtime-rpc';
import { lacksListIndex } from '../chain/list-index.ts';
import { pastCallPaths } from './past-call.ts';

const { Ordering, QueryEndReason } = GrpcTypes;

/** The part of a `SuiGrpcClient` that lists transactions. */
export interface TransactionLister {
  ledgerService: {
    listTransactions(
      request: GrpcTypes.ListTransactionsRequest,
      options?: RpcOptions,
    ): { responses: AsyncIterable<GrpcTypes.ListTransactionsResponse> };
  };
}

/** Cost bounds of one search in the history. */
export interface HistoryBounds {
  /** Maximum number of transactions that are read. */
  transactions: number;
  /** Maximum number of requests to the node, including aborted ones. */
  pages: number;
  /** Maximum number of bytes that are read, estimated. */
  bytes: number;
}

/** Signals that end a search early. */
export interface Interruption {
  /** Ends the work with an error, because its caller no longer waits. */
  signal?: AbortSignal | undefined;
  /** Ends the work with the results so far. */
  deadline: AbortSignal;
}

/**
 * The end of a search. `complete`: it read everything that the node has. `bounded`: there may be more. `late`: the
 * deadline passed. `broken`: the node failed in a request before it sent anything new.
 */
export type HistoryEnd = 'complete' | 'bounded' | 'late' | 'broken';

/** The node has no index of calls. */
export class CallIndexMissingError extends Error {}

/** The largest page. A node clamps larger limits silently. */
const pageSizeMax = 500;

/**
 * Passes the transactions that call one of the functions to `visit`, latest first and including failed ones, until it
 * returns false or a bound is reached. If the node aborts a list, the search continues at its cursor.
 * @throws CallIndexMissingError; the signal's reason
 */
export async function visitHistory(
  node: TransactionLister,
  functions: readonly string[],
  bounds: HistoryBounds,
  { signal, deadline }: Interruption,
  visit: (transaction: GrpcTypes.ExecutedTransaction) => boolean,
): Promise<HistoryEnd> {
  let { transactions, bytes } = bounds;
  let before: Uint8Array | undefined;

  /** Returns true if the node has more, false if a bound was reached, undefined at the end of its history. */
  async function readPage(abort: AbortSignal): Promise<boolean | undefined> {
    // The list has one transaction more than is read, to show whether there are more.
    const limit = Math.min(transactions + 1, pageSizeMax);
    const request = listRequest(functions, limit, before);
    const { responses } = node.ledgerService.listTransactions(request, { abort });
    for await (const { transaction, watermark, end } of responses) {
      if (transaction) {
        bytes -= estimateSize(transaction);
        if (--transactions < 0 || bytes < 0 || !visit(transaction)) return false;
      }
      before = watermark?.cursor ?? before;
      if (end) return goesOn.has(end.reason) || undefined;
    }
    throw new RpcError('the list ended without a reason', 'UNKNOWN');
  }

  for (let page = 0; page < bounds.pages; page++) {
    signal?.throwIfAborted();
    if (deadline.aborted) return 'late';
    const call = new AbortController();
    const from = before;
    try {
      const more = await readPage(AbortSignal.any([call.signal, deadline, ...(signal ? [signal] : [])]));
      if (!more) return more === false ? 'bounded' : 'complete';
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      if (deadline.aborted || error.code === 'DEADLINE_EXCEEDED') return 'late';
      if (lacksListIndex(error)) throw new CallIndexMissingError(error.message);
      if (before === from) return 'broken';
    } finally {
      call.abort();
    }
  }
  return 'bounded';
}

/** Reasons to end a page before the history ends. */
const goesOn = new Set<GrpcTypes.QueryEndReason | undefined>([
  QueryEndReason.ITEM_LIMIT,
  QueryEndReason.SCAN_LIMIT,
]);

function listRequest(
  functions: readonly string[],
  limit: number,
  before: Uint8Array | undefined,
): GrpcTypes.ListTransactionsRequest {
  const terms = functions.map((name) => ({
    literals: [
      { negated: false, predicate: { oneofKind: 'moveCall' as const, moveCall: { function: name } } },
    ],
  }));
  return {
    readMask: { paths: pastCallPaths },
    filter: { terms },
    // No first checkpoint: the node has no data before its lowest one.
    options: { limit, ordering: Ordering.DESCENDING, ...(before && { before }) },
  };
}

/** Estimates the bytes of a transaction from its largest parts. A value counts each time that it is used. */
function estimateSize({ transaction, effects }: GrpcTypes.ExecutedTransaction): number {
  const { data } = transaction?.kind ?? {};
  let size = 100 * (effects?.changedObjects.length ?? 0);
  if (data?.oneofKind !== 'programmableTransaction') return size;
  const { inputs, commands } = data.programmableTransaction;
  for (const { pure } of inputs) size += 100 + (pure?.length ?? 0);
  for (const { command } of commands) {
    size += 100;
    if (command.oneofKind !== 'moveCall') continue;
    for (const { input = -1 } of command.moveCall.arguments) size += 10 + (inputs[input]?.pure?.length ?? 0);
    for (const type of command.moveCall.typeArguments) size += type.length;
  }
  return size;
}
