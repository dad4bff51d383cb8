import { executeTransaction } from '../execution/execute.ts';
import { StateError } from '../internal/errors.ts';
import { Store } from '../state/store.ts';
import { PackageCache } from '../vm/loader/package.ts';
import { aliasesOf } from './aliases.ts';
import { digestOf } from './digests.ts';
import { readDynamicField } from './dynamic-fields.ts';
import { loadObjects } from './input-objects.ts';
import { randomId } from './move-types.ts';
import { LedgerReads } from './reads.ts';
import { transactionRecord } from './records.ts';
import { type Execute, runTransaction } from './run.ts';
import { requireSigners, signersOf, verifySignatures } from './signatures.ts';
import { simulateTransaction } from './simulate.ts';
import { checkForm, checkSize, decodeTransaction } from './transaction-checks.ts';
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
  /** How many checkpoints stay; older ones are pruned as new ones are made. Default: all. */
  keepCheckpoints?: number;
}

/** Hears of each checkpoint as it is made, with its transactions in order. It must not throw. */
export type CheckpointListener = (checkpoint: CheckpointRecord, transactions: TransactionRecord[]) => void;

/** Hears of each simulation, with what it came to. It must not throw. */
type SimulationListener = (transaction: ExecutedTransaction) => void;

/** The network's state and the only way to change it. */
export class Ledger extends LedgerReads {
  readonly #framework: FrameworkModules;
  readonly #keepCheckpoints: number | undefined;
  #chainId: string;
  #writer: LedgerWriter;
  readonly #execute: Execute;
  readonly #now: () => number;
  #packages = new PackageCache();
  /** Resolves when the signatures of all transactions that came are checked. */
  #checked: Promise<void> = Promise.resolve();
  readonly #listeners = new Set<CheckpointListener>();
  readonly #simulationListeners = new Set<SimulationListener>();
  readonly #resetListeners = new Set<() => void>();

  private constructor(store: Store, writer: LedgerWriter, options: LedgerOptions & { now: () => number }) {
    super(store, Number(required(store, 'startedMs')));
    this.#chainId = required(store, 'chainId');
    this.#writer = writer;
    this.#now = options.now;
    this.#framework = options.framework;
    this.#keepCheckpoints = options.keepCheckpoints;
    this.#execute = (input) => executeTransaction(input, this.#packages);
    store.batch.onLost = () => {
      store.forget();
      this.#writer = new LedgerWriter(store, this.#framework, this.#now);
    };
  }

  /** Base58 digest of the genesis checkpoint. */
  get chainId(): string {
    return this.#chainId;
  }

  /**
   * Continues the network in a file, or starts one.
   *
   * @throws StateError `localnet_state_invalid` or `localnet_state_locked`, see `openDatabase`.
   */
  static open(options: LedgerOptions): Ledger {
    const { path, framework, now = Date.now } = options;
    const store = new Store(path);
    try {
      return new Ledger(store, new LedgerWriter(store, framework, now), { ...options, now });
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
    checkSize(transactionBcs, signatures);
    const transaction = checkForm(decodeTransaction(transactionBcs), this.chainId);
    const digest = digestOf('TransactionData', transactionBcs);
    const { sender, gasData } = transaction.data;
    const signers = signersOf(transaction.data);
    const checked = verifySignatures(transactionBcs, signatures, signers);
    // Checks run beside each other; transactions execute in the order in which they came all the same.
    const before = this.#checked;
    this.#checked = Promise.allSettled([before, checked]).then(() => undefined);
    await before;
    const signed = await checked;

    // From here to the end nothing waits, so transactions execute one at a time.
    const read = (id: string) => this.store.objects.live(id);
    requireSigners(signers, signed, (address) => aliasesOf(address, read));
    const earlier = this.getTransaction(digest);
    if (earlier !== undefined) {
      await this.store.batch.kept;
      return earlier;
    }
    const kept = this.store.batch.join();
    const funds = (owner: string, coinType: string) => this.store.balances.get(owner, coinType).funds;
    let objects = loadObjects(transaction, read, funds);
    const opened = this.#writer.openCheckpoint();
    const renewed = objects.records.has(randomId) && this.#writer.renewRandomness();
    if (opened || renewed) objects = loadObjects(transaction, read, funds);
    const { settlement } = runTransaction(
      {
        transactionDigest: digest,
        transaction,
        objects,
        read,
        funds,
        reserved: BigInt(gasData.budget),
        epochTimestampMs: this.startedMs,
      },
      this.#execute,
    );
    const { commands } = transaction;
    const executed = this.#writer.append(
      { digest, bytes: transactionBcs, signatures, commands, sender, gasOwner: gasData.owner },
      settlement,
    );
    await kept;
    return executed;
  }

  /**
   * Fills in what a draft leaves open and executes it without keeping anything.
   *
   * @throws LedgerError where the draft cannot be filled in, or `execute` would refuse it.
   */
  simulate(draft: UnresolvedTransaction, options: SimulateOptions = {}): SimulatedTransaction {
    const simulated = simulateTransaction(draft, options, {
      store: this.store,
      packages: this.#packages,
      execute: this.#execute,
      chainId: this.chainId,
      startedMs: this.startedMs,
      nowMs: this.#now(),
    });
    for (const listener of this.#simulationListeners) listener(simulated.transaction);
    return simulated;
  }

  /** Dynamic fields and dynamic object fields of an object, in no meaningful order. */
  listDynamicFields(parent: string, request: PageRequest): Page<DynamicFieldRecord> {
    const read = (id: string) => this.store.objects.live(id);
    const { items, next } = this.listChildren(parent, request);
    const fields = items.flatMap((field) => readDynamicField(parent, field, this.#packages, read) ?? []);
    return { items: fields, next };
  }

  /**
   * Sets the clock at `0x6` to what time it is, by the transaction that begins a checkpoint; what executed
   * before goes into a checkpoint of its own. Answers that transaction.
   */
  setClock(): ExecutedTransaction {
    if (this.hasPending) this.createCheckpoint();
    const executed = this.#writer.openCheckpoint();
    if (!executed) throw new Error('a new checkpoint has a clock already');
    return executed;
  }

  /** Whether something executed since the last checkpoint. */
  get hasPending(): boolean {
    return this.#writer.hasPending;
  }

  /** Packs what executed since the last checkpoint, which may be nothing, and tells the listeners. */
  createCheckpoint(): CheckpointRecord {
    this.store.batch.flush();
    const { checkpoint, transactions: rows } = this.#writer.createCheckpoint();
    this.newest = checkpoint;
    if (this.#keepCheckpoints !== undefined) {
      this.prune(checkpoint.sequence + 1n - BigInt(this.#keepCheckpoints));
    }
    if (this.#listeners.size > 0) {
      const transactions =
        rows?.map((row) => transactionRecord(row, checkpoint.timestampMs)) ??
        this.listTransactions({
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

  /** Calls `listener` for every simulation that was not refused from now on, until the returned function is called. */
  onSimulation(listener: SimulationListener): () => void {
    this.#simulationListeners.add(listener);
    return () => this.#simulationListeners.delete(listener);
  }

  /**
   * Calls `listener` after every `reset` and `restore`, until the returned function is called. It must not throw.
   */
  onReset(listener: () => void): () => void {
    this.#resetListeners.add(listener);
    return () => this.#resetListeners.delete(listener);
  }

  /** Replaces this chain by another one: a new genesis, a new chain id, and no earlier data. */
  reset(): void {
    // Genesis at the same millisecond would be the same chain.
    const now = () => Math.max(this.#now(), this.startedMs + 1);
    this.#replace(() => this.store.clear(), now);
  }

  /** A text that belongs to the state: snapshots have it, and a reset deletes it. */
  get note(): string | undefined {
    return this.store.metadata('note');
  }

  keepNote(text: string): void {
    this.store.setMetadata('note', text);
  }

  /** Keeps the whole state under a name, until the ledger is closed. @throws Error for what cannot be a name. */
  snapshot(name: string): void {
    this.store.batch.flush();
    this.store.snapshot(name);
  }

  /** Goes back to a state that was kept. What happened since never happened. @throws Error for an unknown name. */
  restore(name: string): void {
    this.#replace(() => this.store.restore(name), this.#now);
  }

  #replace(change: () => void, now: () => number): void {
    this.store.batch.flush();
    this.#writer = this.store.atomically(() => {
      change();
      return new LedgerWriter(this.store, this.#framework, now);
    });
    this.#packages = new PackageCache();
    this.#chainId = required(this.store, 'chainId');
    this.restart(Number(required(this.store, 'startedMs')));
    for (const listener of this.#resetListeners) listener();
  }

  /**
   * Forgets the checkpoints before `below`, their transactions and events, and the object versions that these
   * transactions replaced, as full nodes do. The newest checkpoint always stays, and so does every live object.
   */
  prune(below: bigint): void {
    if (below <= this.lowestAvailableCheckpoint) return;
    const oldest = this.history.at(Number(below < this.highestCheckpoint ? below : this.highestCheckpoint));
    if (oldest === undefined) return;
    this.store.batch.flush();
    const first = oldest.firstTransaction;
    this.store.atomically(() => {
      this.#writer.keep(oldest);
      this.store.objects.prune(first);
      this.store.transactions.prune(first);
      this.store.checkpoints.prune(oldest.sequence);
    });
  }
}

function required(store: Store, name: string): string {
  const value = store.metadata(name);
  if (value === undefined) {
    throw new StateError(
      'localnet_state_invalid',
      `The state of the local network is damaged: ${name} is missing`,
    );
  }
  return value;
}
