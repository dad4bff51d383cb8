import { filterFits } from './event-filter.ts';
import { hasListIndex, openFilteredReader, type ReaderOptions } from './filtered-reader.ts';
import type { LedgerNode } from './node.ts';
import type { LedgerHistory, LedgerReader } from './reader.ts';
import { openScanningReader } from './scanning-reader.ts';
import { readStretches } from './stretches.ts';

export interface Endpoint {
  node: LedgerNode;
  reader: LedgerReader;
}

/**
 * Picks the reader by whether the node can list by filter. A filter of too many package versions is applied here.
 * @param tip a checkpoint that the node has
 */
export async function openEndpoint(
  node: LedgerNode,
  tip: number,
  eventTypes: string[],
  { signal, ...options }: Pick<ReaderOptions, 'idleMs' | 'showsWrites'> & { signal: AbortSignal },
): Promise<Endpoint> {
  const isIndexed = filterFits(eventTypes) && (await hasListIndex(node, tip, eventTypes, signal));
  const openReader = isIndexed ? openFilteredReader : openScanningReader;
  return { node, reader: openReader(node, eventTypes, options) };
}

/** History of a node. `stretchLength`: checkpoints in the first stretches that are read side by side. */
export function toHistory({ node, reader }: Endpoint, stretchLength?: number): LedgerHistory {
  return {
    url: node.url,
    indexed: reader.indexed,
    readDigest: node.readDigest,
    sendHistory: (range, sink, signal) =>
      reader.indexed
        ? readStretches(reader, range, sink, signal, stretchLength)
        : reader.sendHistory(range, sink, signal),
  };
}
