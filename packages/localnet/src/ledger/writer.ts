import type { Command } from '../execution/types.ts';
import type { CheckpointRow } from '../state/checkpoint-store.ts';
import type { Store } from '../state/store.ts';
import type { TransactionRow } from '../state/transaction-store.ts';
import { PackageCache } from '../vm/loader/package.ts';
import { fundsMoved, MovedFunds } from './accumulator.ts';
import { CheckpointHistory, quietTimestamp } from './checkpoint-history.ts';
import { buildCheckpoint, type PendingTransaction } from './checkpoints.ts';
import { commitTransaction } from './commit.ts';
import { digestOf } from './digests.ts';
import { gasOf, noGas } from './gas.ts';
import { createGenesis } from './genesis.ts';
import { indexKeys } from './index-keys.ts';
import { clockId, systemAddress } from './move-types.ts';
import { randomBytesOf, randomnessUpdate, settleRandomness } from './randomness.ts';
import { checkpointRecord, executedTransaction, settledColumns, signaturesColumn } from './records.ts';
import type { Settlement } from './settlement.ts';
import { clockPrologue, settleGenesis, settlePrologue } from './system-transactions.ts';
import type { CheckpointRecord, ExecutedTransaction, FrameworkModules, GasCostSummary } from './types.ts';

/** How many transactions are remembered until their checkpoint, for those who hear of it. */
const maxRemembered = 500;

/** The end of the ledger: where the next transaction and the next checkpoint go. */
export class LedgerWriter {
  readonly #store: Store;
  readonly #now: () => number;
  /** For what the system calls; it holds no package that a transaction published and a reset takes away. */
  readonly #packages = new PackageCache();
  #tip: Tip;
  /** Executed, and in no checkpoint yet; a prologue first. */
  #pending: PendingTransaction[] = [];
  /** Those of `#pending`, from the first on, while this process appended them and they are few. */
  #remembered: TransactionRow[] = [];
  /** Of the checkpoint that `#pending` will be; set by its prologue. */
  #pendingTimestampMs: number | undefined;
  /** Whether the checkpoint that `#pending` will be has random bytes of its own. */
  #isRandomnessNew = false;
  /** By what is pending. */
  #movedFunds = new MovedFunds();

  /** Continues the ledger in `store`, or starts one with `framework` when it is empty. */
  constructor(store: Store, framework: FrameworkModules, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#tip = beforeGenesis;
    const bounds = store.checkpoints.bounds();
    if (bounds === undefined) this.#start(framework);
    else this.#continue(bounds.highest);
  }

  /**
   * Sets the clock, once per checkpoint, before its first user transaction. Answers the transaction that did:
   * objects read before it may be old then.
   */
  openCheckpoint(): ExecutedTransaction | undefined {
    if (this.#pendingTimestampMs !== undefined) return undefined;
    const timestampMs = this.#timestamp();
    const bytes = clockPrologue(this.#tip.next, timestampMs);
    const digest = digestOf('TransactionData', bytes);
    const clock = this.#store.objects.live(clockId);
    if (clock?.kind !== 'move') throw new Error('the state file has no clock');
    const settlement = settlePrologue(digest, clock, timestampMs);
    const executed = this.append({ ...fromSystem, digest, bytes }, settlement);
    this.#pendingTimestampMs = timestampMs;
    return executed;
  }

  /**
   * Renews the random bytes at `0x8`, once per checkpoint, before its first transaction that uses them. Answers the
   * transaction that did.
   */
  renewRandomness(): ExecutedTransaction | undefined {
    if (this.#isRandomnessNew) return undefined;
    const read = (id: string) => this.#store.objects.live(id);
    const update = randomnessUpdate(randomBytesOf(this.#tip.digest, this.#tip.next), read);
    const executed = this.append(
      { ...fromSystem, ...update },
      settleRandomness(update, read, this.#packages),
    );
    this.#isRandomnessNew = true;
    return executed;
  }

  /** Keeps an executed transaction: the next in the ledger. */
  append(transaction: AppendedTransaction, settlement: Settlement): ExecutedTransaction {
    const { digest, bytes, signatures } = transaction;
    const row = {
      digest,
      sequence: this.#tip.transactions + this.#pending.length,
      checkpoint: Number(this.#tip.next),
      transactionIndex: this.#pending.length,
      bcs: bytes,
      signatures: signaturesColumn(signatures),
      ...settledColumns(settlement),
    };
    const { gas, effectsDigest } = settlement;
    const keys = indexKeys({ ...transaction, ...settlement });
    commitTransaction(this.#store, { row, keys, ...settlement });
    if (this.#remembered.length === this.#pending.length && row.transactionIndex < maxRemembered) {
      this.#remembered.push(row);
    }
    this.#pending.push({ digest, effectsDigest, signatures, gas });
    this.#movedFunds.add(settlement.fundsChanges);
    return executedTransaction(row);
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  /** Packs what executed since the last checkpoint, which may be nothing. */
  createCheckpoint(): PackedCheckpoint {
    try {
      return this.#store.atomically(() => {
        const read = (id: string) => this.#store.objects.live(id);
        this.#movedFunds.settle(this.#tip.next, read, this.#packages, (transaction, settlement) =>
          this.append({ ...fromSystem, ...transaction }, settlement),
        );
        return this.#pack();
      });
    } catch (error) {
      // What ends the checkpoint is not stored: the next attempt makes it again.
      const bounds = this.#store.checkpoints.bounds();
      if (bounds !== undefined) this.#continue(bounds.highest);
      throw error;
    }
  }

  #pack(): PackedCheckpoint {
    const { checkpoints } = this.#store;
    const isEmpty = this.#pending.length === 0 && this.#pendingTimestampMs === undefined;
    const quietMs = isEmpty ? quietTimestamp(this.#tip, this.#now()) : undefined;
    const row = buildCheckpoint({
      sequence: this.#tip.next,
      previousDigest: this.#tip.digest,
      timestampMs: quietMs ?? this.#pendingTimestampMs ?? this.#timestamp(),
      earlierTransactions: this.#tip.transactions,
      earlierGas: this.#tip.gas,
      transactions: this.#pending,
    });
    const record = checkpointRecord(row);
    const quiet = quietMs === undefined ? 0 : this.#tip.quiet + 1;
    if (quiet === 0) checkpoints.insert(row);
    if (quiet !== this.#tip.quiet) checkpoints.setQuiet(quiet);
    this.#tip = tipAt(record, quiet);
    const transactions = this.#remembered.length === this.#pending.length ? this.#remembered : undefined;
    this.#pending = [];
    this.#remembered = [];
    this.#pendingTimestampMs = undefined;
    this.#isRandomnessNew = false;
    return { checkpoint: record, transactions };
  }

  /** Stores a checkpoint that may follow from an earlier one, so that this one can be pruned. */
  keep(row: CheckpointRow): void {
    const { checkpoints } = this.#store;
    if (checkpoints.before(row.sequence)?.sequence === row.sequence) return;
    checkpoints.insert(row);
    const behind = Number(this.#tip.next) - 1 - row.sequence;
    if (behind >= this.#tip.quiet) return;
    checkpoints.setQuiet(behind);
    this.#tip = { ...this.#tip, quiet: behind };
  }

  /** Now, but never before the last checkpoint. */
  #timestamp(): number {
    return Math.max(this.#now(), this.#tip.timestampMs);
  }

  #start(framework: FrameworkModules): void {
    const timestampMs = this.#now();
    const {
      transactionBcs: bytes,
      transactionDigest: digest,
      objects,
    } = createGenesis(framework, timestampMs);
    this.#store.atomically(() => {
      this.append({ ...fromSystem, digest, bytes }, settleGenesis(digest, objects));
      this.#pendingTimestampMs = timestampMs;
      const { checkpoint } = this.createCheckpoint();
      this.#store.setMetadata('chainId', checkpoint.digest);
      this.#store.setMetadata('startedMs', String(timestampMs));
    });
  }

  #continue(highest: number): void {
    const stored = this.#store.checkpoints.before(highest);
    const tip = new CheckpointHistory(this.#store.checkpoints).at(highest);
    if (stored === undefined || tip === undefined) {
      throw new Error('the state file lacks its newest checkpoint');
    }
    this.#tip = tipAt(checkpointRecord(tip), highest - stored.sequence);
    this.#pending = [];
    this.#remembered = [];
    this.#movedFunds = new MovedFunds();
    const range = { from: this.#tip.transactions, to: Number.MAX_SAFE_INTEGER, descending: false, limit: -1 };
    for (const row of this.#store.transactions.scan(range)) {
      const executed = executedTransaction(row);
      const { digest, effectsDigest, signatures, effects, data } = executed;
      this.#movedFunds.add(fundsMoved(executed));
      this.#pending.push({ digest, effectsDigest, signatures, gas: gasOf(effects.gasUsed) });
      const prologue = data.V1.kind.ConsensusCommitPrologue;
      if (prologue) this.#pendingTimestampMs = Number(prologue.commitTimestampMs);
      if (data.V1.kind.RandomnessStateUpdate) this.#isRandomnessNew = true;
    }
  }
}

interface PackedCheckpoint {
  checkpoint: CheckpointRecord;
  /** Its transactions in order; undefined when they must be read. */
  transactions: TransactionRow[] | undefined;
}

interface AppendedTransaction {
  digest: string;
  bytes: Uint8Array;
  signatures: readonly Uint8Array[];
  commands: readonly Command[];
  sender: string;
  gasOwner: string;
}

const fromSystem = { signatures: [], commands: [], sender: systemAddress, gasOwner: systemAddress };

interface Tip {
  /** Sequence number of the checkpoint after it. */
  next: bigint;
  digest: string | undefined;
  timestampMs: number;
  /** Since genesis. */
  transactions: number;
  gas: GasCostSummary;
  /** Checkpoints since the last one that is stored. */
  quiet: number;
}

const beforeGenesis: Tip = {
  next: 0n,
  digest: undefined,
  timestampMs: 0,
  transactions: 0,
  gas: noGas,
  quiet: 0,
};

function tipAt(checkpoint: CheckpointRecord, quiet: number): Tip {
  return {
    next: checkpoint.sequence + 1n,
    digest: checkpoint.digest,
    timestampMs: checkpoint.timestampMs,
    transactions: Number(checkpoint.networkTotalTransactions),
    gas: checkpoint.epochRollingGasCostSummary,
    quiet,
  };
}
