import type { FrameSink } from './frames.ts';

/** Part of the ledger. It starts after the cursor `after` or, without one, at checkpoint `from`, and ends before `to`. */
export interface LedgerRange {
  after?: Uint8Array | undefined;
  /** First checkpoint that is not complete yet: at most the checkpoint of `after`. */
  from: number;
  to: number;
  /** Digest of checkpoint `to - 1` on the chain, if known. */
  lastDigest?: string | undefined;
}

/** Source of the chain's history: a node, or checkpoint files. */
export interface LedgerHistory {
  /** Address that the cursors belong to. */
  url: string;
  /** `true` if the source lists by filter, so that transactions that do not match cost hardly any time. */
  indexed: boolean;
  readDigest(checkpoint: number, signal: AbortSignal): Promise<string>;
  /** Sends all of the range, in order, waiting for the sink; returns when the range is covered. */
  sendHistory(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<void>;
}

/** Reader of what matches a filter on one node, live and in history. `subscribe` also sends packages that are written. */
export interface LedgerReader {
  /** `true` if the node lists by filter. Only then frames have cursors. */
  indexed: boolean;
  /**
   * Sends new frames until the node ends the stream, without waiting for the sink.
   * @param onOpen called when the node has registered the subscription
   */
  subscribe(sink: FrameSink, signal: AbortSignal, onOpen: () => void): Promise<void>;
  /** Sends all of the range, in order, waiting for the sink; returns when the range is covered. */
  sendHistory(range: LedgerRange, sink: FrameSink, signal: AbortSignal): Promise<void>;
  /** `true` if the node confirms that nothing in this checkpoint matches after the cursor of one of its matches. */
  isComplete(checkpoint: number, after: Uint8Array | undefined, signal: AbortSignal): Promise<boolean>;
}
