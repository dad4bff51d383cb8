import type { CheckpointRow, CheckpointStore } from '../state/checkpoint-store.ts';
import { buildCheckpoint } from './checkpoints.ts';
import { checkpointRecord } from './records.ts';

/** From one empty checkpoint of a quiet network to the next. */
export const quietEveryMs = 5_000;

/** How much later than that an empty checkpoint may be made and still have the time that it was due. */
const mostLateMs = quietEveryMs / 2;

/** Checkpoints that are worked out from one that is stored: each takes a hash. */
const mostQuiet = 1_000;

interface Tip {
  timestampMs: number;
  /** Checkpoints since the last one that is stored. */
  quiet: number;
}

/**
 * The time of an empty checkpoint that need not be stored, because it follows from the one before it; absent where it does
 * not.
 */
export function quietTimestamp({ timestampMs, quiet }: Tip, nowMs: number): number | undefined {
  const dueMs = timestampMs + quietEveryMs;
  const isDue = nowMs >= dueMs && nowMs - dueMs < mostLateMs;
  return isDue && quiet < mostQuiet ? dueMs : undefined;
}

/** Checkpoints by number: those that are stored, and those that follow from them. */
export class CheckpointHistory {
  readonly #store: CheckpointStore;
  /** What was worked out last: those behind one that is stored. */
  #last: CheckpointRow[] = [];

  constructor(store: CheckpointStore) {
    this.#store = store;
  }

  /** Among those that are not stored, only the ones behind the last that is are looked at. */
  withDigest(digest: string): CheckpointRow | undefined {
    const stored = this.#store.byDigest(digest);
    if (stored !== undefined) return stored;
    const highest = this.#store.bounds()?.highest ?? 0;
    this.at(highest);
    const isTail = this.#last.at(-1)?.sequence === highest;
    return isTail ? this.#last.find((row) => row.digest === digest) : undefined;
  }

  at(sequence: number): CheckpointRow | undefined {
    const stored = this.#store.before(sequence);
    if (stored === undefined || stored.sequence === sequence) return stored;
    if (sequence > (this.#store.bounds()?.highest ?? 0)) return undefined;
    if (this.#last[0]?.digest !== stored.digest) this.#last = [stored];
    const earlierGas = checkpointRecord(stored).epochRollingGasCostSummary;
    const index = sequence - stored.sequence;
    for (let next = this.#last.length; next <= index; next += 1) {
      const previous = this.#last[next - 1]!;
      const row = buildCheckpoint({
        sequence: BigInt(previous.sequence + 1),
        previousDigest: previous.digest,
        timestampMs: previous.timestampMs + quietEveryMs,
        earlierTransactions: previous.firstTransaction + previous.transactionCount,
        earlierGas,
        transactions: [],
      });
      this.#last.push(row);
    }
    return this.#last[index];
  }
}
