import type { FrameSink } from './frames.ts';

/** Part of the ledger: after `after` if given, else from checkpoint `from`; below checkpoint `to`. */
export interface LedgerRange {
  after?: Uint8Array | undefined;
  /** First checkpoint that is not complete yet. It lies at or before the one of `after`. */
  from: number;
  to: number;
  /** Digest of checkpoint `to - 1` on the chain, if known. */
  lastDigest?: string | undefined;
}

/** History of the chain, from a node or from checkpoint files. */
export interface LedgerHistory {
  /** Address that the cursors belong to. */
  url: string;
  /** `true` if it lists by filter: what does not match takes hardly any time. */
  indexed: boolean;
  digest(checkpoint: number, signal: AbortSignal): Promise<string>;
  /** Sends all of the range, in order, waiting for the sink; returns when the range is covered. */
  history(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<void>;
}

/** The two ways to follow a filter on one node. Both show each package that is written while they follow it live. */
export interface LedgerReader {
  /** `true` if its frames have cursors. */
  indexed: boolean;
  /** Sends new frames, ready or not, until the node ends it. `onOpen`: the node has registered the subscription. */
  subscribe(sink: FrameSink, signal: AbortSignal, onOpen: () => void): Promise<void>;
  /** Sends all of the range, in order, waiting for the sink; returns when the range is covered. */
  history(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** `true` if the node confirms that nothing in this checkpoint matches after the cursor of one of its matches. */
  isComplete(checkpoint: number, after: Uint8Array | undefined, signal: AbortSignal): Promise<boolean>;
}
