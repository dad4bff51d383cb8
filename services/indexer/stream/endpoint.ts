import { filterFits } from './event-filter.ts';
import { hasListIndex, openFilteredReader } from './filtered-reader.ts';
import type { LedgerNode } from './node.ts';
import type { LedgerReader } from './reader.ts';
import { openScanningReader } from './scanning-reader.ts';

/** A node, and the way to follow it. */
export interface Endpoint {
  node: LedgerNode;
  reader: LedgerReader;
}

/**
 * Checks once whether the node can list by filter, and picks the reader. A filter of more package versions than a node
 * takes is applied here, to whole checkpoints.
 */
export async function openEndpoint(
  node: LedgerNode,
  eventTypes: string[],
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
): Promise<Endpoint> {
  const isIndexed = filterFits(eventTypes) && (await hasListIndex(node, eventTypes, signal));
  const openReader = isIndexed ? openFilteredReader : openScanningReader;
  return { node, reader: openReader(node, eventTypes, { idleMs }) };
}
