import { FatalError } from '../../../lib/errors/index.ts';
import { executeTransaction } from '../execution/execute.ts';
import { Store } from '../state/store.ts';
import { PackageCache } from '../vm/loader/package.ts';
import { digestOf } from './digests.ts';
import { readDynamicField } from './dynamic-fields.ts';
import { loadObjects } from './input-objects.ts';
import { LedgerReads } from './reads.ts';
import { type Execute, runTransaction } from './run.ts';
import { checkSignatures, signersOf } from './signatures.ts';
import { simulateTransaction } from './simulate.ts';
import { checkForm, decodeTransaction } from './transaction-checks.ts';
import type {
  CheckpointRecord,
  DynamicFieldRecord,
  ExecutedTransaction,
  FrameworkModules,
  Page,
  PageRequest,
  SimulatedTransaction,
  SimulateOptions,
  TransactionRecord,
  UnresolvedTransaction,
} from './types.ts';
import { LedgerWriter } from './writer.ts';

export interface LedgerOptions {
  /** A file, made when absent, or `:memory:`. */
  path: string;
  /** Published at genesis; what an existing file holds stays. */
  framework: FrameworkModules;
  /** Milliseconds since the epoch, for checkpoints and the clock. */
  now?: () => number;
}

/** Hears of each checkpoint as it is made, with its transactions in order. It must not throw. */
export type CheckpointListener = (checkpoint: CheckpointRecord, transactions: TransactionRecord[]) => void;

/** The network's state and the only way to change it. */
export class Ledger extends LedgerReads {
  /** Base58 digest of the genesis checkpoint. */
  readonly chainId: string;
  readonly #writer: LedgerWriter;
  readonly #execute: Execute;
  readonly #now: () => number;
  readonly #packages = new PackageCache();
  readonly #listeners = new Set<CheckpointListener>();

  private constructor(store: Store, writer: LedgerWriter, now: () => number) {
    super(store, Number(required(store, 'startedMs')));
    this.chainId = required(store, 'chainId');
    this.#writer = writer;
    this.#now = now;
    this.#execute = (input) => executeTransaction(input, this.#packages);
  }

  /**
   * Continues the network in a file, or starts one.
   *
   * @throws FatalError `localnet_state_invalid` or `localnet_state_locked`, see `openDatabase`.
   */
  static open({ path, framework, now = Date.now }: LedgerOptions): Ledger {
    const store = new Store(path);
    try {
      return new Ledger(store, new LedgerWriter(store, framework, now), now);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  close(): void {
    this.store.close();
  }

  /**
   * Checks and executes a signed transaction. One that executed before, by its digest, is answered as it was
   * then. A transaction that fails in the VM is executed all the same, and pays for it.
   *
   * @throws LedgerError when it is refused: nothing happened and nothing is charged.
   */
  async execute(transactionBcs: Uint8Array, signatures: Uint8Array[]): Promise<ExecutedTransaction> {
    const transaction = checkForm(decodeTransaction(transactionBcs), this.chainId);
    const digest = digestOf('TransactionData', transactionBcs);
    const { sender, gasData } = transaction.data;
    await checkSignatures(transactionBcs, signatures, signersOf(transaction.data));

    // From here to the end nothing waits, so transactions execute one at a time.
    const executed = this.getTransaction(digest);
    if (executed !== undefined) return executed;
    const read = (id: string) => this.store.objects.live(id);
    let objects = loadObjects(transaction, read);
    if (this.#writer.openCheckpoint()) objects = loadObjects(transaction, read);
    const { settlement } = runTransaction(
      {
        ...{ transactionDigest: digest, transaction, objects, read },
        reserved: BigInt(gasData.budget),
        epochTimestampMs: this.startedMs,
      },
      this.#execute,
    );
    const { commands } = transaction;
    return this.#writer.append(
      { digest, bytes: transactionBcs, signatures, commands, sender, gasOwner: gasData.owner },
      settlement,
    );
  }

  /**
   * Fills in what a draft leaves open and executes it without keeping anything.
   *
   * @throws LedgerError where the draft cannot be filled in, or `execute` would refuse it.
   */
  simulate(draft: UnresolvedTransaction, options: SimulateOptions = {}): SimulatedTransaction {
    return simulateTransaction(draft, options, {
      store: this.store,
      packages: this.#packages,
      execute: this.#execute,
      chainId: this.chainId,
      startedMs: this.startedMs,
      nowMs: this.#now(),
    });
  }

  /** Dynamic fields and dynamic object fields of an object, in no meaningful order. */
  listDynamicFields(parent: string, request: PageRequest): Page<DynamicFieldRecord> {
    const read = (id: string) => this.store.objects.live(id);
    const { items, next } = this.listChildren(parent, request);
    const fields = items.flatMap((field) => readDynamicField(parent, field, this.#packages, read) ?? []);
    return { items: fields, next };
  }

  /** Whether something executed since the last checkpoint. */
  get hasPending(): boolean {
    return this.#writer.hasPending;
  }

  /** Packs what executed since the last checkpoint, which may be nothing, and tells the listeners. */
  createCheckpoint(): CheckpointRecord {
    const checkpoint = this.#writer.createCheckpoint();
    if (this.#listeners.size > 0) {
      const transactions = this.listTransactions({
        from: { checkpoint: checkpoint.sequence, transactionIndex: 0 },
        to: { checkpoint: checkpoint.sequence + 1n, transactionIndex: 0 },
        ordering: 'ascending',
        limit: checkpoint.transactionDigests.length,
      });
      for (const listener of this.#listeners) listener(checkpoint, transactions);
    }
    return checkpoint;
  }

  /** Calls `listener` for every checkpoint from now on, until the returned function is called. */
  onCheckpoint(listener: CheckpointListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Forgets the checkpoints before `below` and their transactions and events, as full nodes do; the newest
   * checkpoint always stays, and so do all objects.
   */
  prune(below: bigint): void {
    const oldest = this.getCheckpoint({
      sequence: below < this.highestCheckpoint ? below : this.highestCheckpoint,
    });
    if (oldest === undefined) return;
    const count = oldest.transactionDigests.length;
    this.store.atomically(() => {
      this.store.transactions.prune(Number(oldest.networkTotalTransactions) - count);
      this.store.checkpoints.prune(Number(oldest.sequence));
    });
  }
}

function required(store: Store, name: string): string {
  const value = store.metadata(name);
  if (value === undefined) {
    throw new FatalError('localnet_state_invalid', `The state of the local network lacks its ${name}`);
  }
  return value;
}
