import { GrpcTypes } from '@mysten/sui/grpc';

/** What a node says in one step of following it, whichever of its services it comes from. */
export interface Frame {
  /** A transaction that passed the filter, with all its events; or one that wrote a package, whoever's. */
  transaction?: GrpcTypes.ExecutedTransaction | undefined;
  /** Opaque resume point of this node, where it gives any. */
  cursor?: Uint8Array | undefined;
  /** Every matching transaction of this checkpoint and those before it has been brought. */
  covered?: number | undefined;
}

/** A stretch of the ledger: after `after` where given, else from checkpoint `from`; below checkpoint `to`. */
export interface LedgerRange {
  after?: Uint8Array | undefined;
  from: number;
  to: number;
}

/** Where a reader puts its frames. */
export interface FrameSink {
  push(frame: Frame): void;
  /** Resolves when there is room for more. */
  ready(): Promise<void>;
}

/** The two ways to follow a filter on one node. Both show each package that is written while they follow it live. */
export interface LedgerReader {
  /** `true` where it gives cursors. */
  indexed: boolean;
  /** Brings what is new from the moment of the call on, whether or not the sink is ready; ends when the node ends it. */
  subscribe(sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** Brings all of the range, in order, waiting for the sink; returns when the range is covered. */
  history(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<void>;
}

/** The parts of a transaction that the indexer uses, as a read mask below `prefix`. */
export const transactionPaths = (prefix = '') =>
  [
    'digest',
    'checkpoint',
    'timestamp',
    'transaction_index',
    'transaction.sender',
    'effects.status',
    'events.events.event_type',
    'events.events.contents',
  ].map((path) => prefix + path);

/** What shows the packages that a transaction wrote, beside `transactionPaths`. */
export const writtenPath = 'effects.changed_objects';

/** Ids of the packages that a transaction published, or upgraded another to. */
export function packagesWritten({ effects }: GrpcTypes.ExecutedTransaction): string[] {
  const { PACKAGE_WRITE } = GrpcTypes.ChangedObject_OutputObjectState;
  return (effects?.changedObjects ?? []).flatMap(({ outputState, objectId }) =>
    outputState === PACKAGE_WRITE && objectId ? [objectId] : [],
  );
}
