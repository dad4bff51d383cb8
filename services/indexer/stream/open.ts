import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { lacksListIndex } from '@adaptor-marketplace/adaptor/chain/list-index';
import { GrpcTypes } from '@mysten/sui/grpc';
import { filteredReader, fitsFilter, transactionFilter } from './filtered.ts';
import type { Endpoint } from './follow.ts';
import type { LedgerNode } from './node.ts';
import { scanningReader } from './scanning.ts';

const probeTimeoutMs = 10_000;

/**
 * Asks the node once whether it can list by filter, and picks how to follow it. Event types of so many package versions
 * that no filter takes them are chosen here.
 */
export async function openEndpoint(
  node: LedgerNode,
  eventTypes: string[],
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
): Promise<Endpoint> {
  const indexed = fitsFilter(eventTypes) && (await hasListIndex(node, eventTypes, signal));
  return { node, reader: (indexed ? filteredReader : scanningReader)(node, eventTypes, idleMs) };
}

async function hasListIndex(node: LedgerNode, eventTypes: string[], signal: AbortSignal): Promise<boolean> {
  const { tip } = await node.info(signal);
  const at = BigInt(Math.max(0, tip));
  const request: GrpcTypes.ListTransactionsRequest = {
    readMask: { paths: ['digest'] },
    filter: transactionFilter(eventTypes),
    startCheckpoint: at,
    endCheckpoint: at + 1n,
    options: { limit: 1, ordering: GrpcTypes.Ordering.ASCENDING },
  };
  try {
    await node.client.ledgerService.listTransactions(request, callOptions(probeTimeoutMs, signal));
    return true;
  } catch (error) {
    if (lacksListIndex(error)) return false;
    throw error;
  }
}
