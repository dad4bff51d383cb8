import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BalanceStore } from './balance-store.ts';
import { CheckpointStore } from './checkpoint-store.ts';
import { CommitBatch } from './commit-batch.ts';
import { atomically, openDatabase } from './database.ts';
import { text } from './encoding.ts';
import { ObjectStore } from './object-store.ts';
import { tables } from './schema.ts';
import { TransactionStore } from './transaction-store.ts';

/** Everything the network keeps, in one SQLite file. */
export class Store {
  readonly objects: ObjectStore;
  readonly balances: BalanceStore;
  readonly transactions: TransactionStore;
  readonly checkpoints: CheckpointStore;
  readonly batch: CommitBatch;
  readonly #database: DatabaseSync;
  readonly #snapshots = new Set<string>();
  readonly #metadata: StatementSync;
  readonly #setMetadata: StatementSync;

  /** @param path A file, made when absent, or `:memory:`. @throws StateError, see `openDatabase`. */
  constructor(path: string) {
    this.#database = openDatabase(path);
    this.batch = new CommitBatch(this.#database);
    this.objects = new ObjectStore(this.#database);
    this.balances = new BalanceStore(this.#database);
    this.transactions = new TransactionStore(this.#database);
    this.checkpoints = new CheckpointStore(this.#database);
    this.#metadata = this.#database.prepare('SELECT value FROM metadata WHERE name = ?');
    this.#setMetadata = this.#database.prepare('INSERT OR REPLACE INTO metadata VALUES (?, ?)');
  }

  /** All writes of `work` are kept, or none; in a batch, when the batch is. */
  atomically<Result>(work: () => Result): Result {
    try {
      return atomically(this.#database, work);
    } catch (error) {
      this.forget();
      this.batch.fail(error);
      throw error;
    }
  }

  /** Deletes everything. */
  clear(): void {
    this.atomically(() => {
      for (const table of tables) this.#database.exec(`DELETE FROM ${table}`);
    });
    this.forget();
  }

  /** Copies everything to memory, under a name. */
  snapshot(name: string): void {
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw new Error(`"${name}" cannot name a snapshot: give 1 to 64 letters, digits, - or _`);
    }
    if (this.#snapshots.size === 0) this.#database.exec("ATTACH ':memory:' AS snapshots");
    this.atomically(() => {
      for (const table of tables) {
        this.#database.exec(`DROP TABLE IF EXISTS snapshots."${name} ${table}"`);
        this.#database.exec(`CREATE TABLE snapshots."${name} ${table}" AS SELECT * FROM main.${table}`);
      }
    });
    this.#snapshots.add(name);
  }

  /** Puts what was copied in the place of everything. @throws Error for a name that nothing has. */
  restore(name: string): void {
    if (!this.#snapshots.has(name)) {
      const known = [...this.#snapshots].join(', ') || 'none';
      throw new Error(`There is no snapshot "${name}". Snapshots: ${known}.`);
    }
    this.clear();
    for (const table of tables) {
      this.#database.exec(`INSERT INTO main.${table} SELECT * FROM snapshots."${name} ${table}"`);
    }
  }

  metadata(name: string): string | undefined {
    const row = this.#metadata.get(name);
    return row === undefined ? undefined : text(row, 'value');
  }

  setMetadata(name: string, value: string): void {
    this.#setMetadata.run(name, value);
  }

  close(): void {
    this.batch.flush();
    this.#database.close();
  }

  /** Drops what is remembered of the tables, which may not be what they hold. */
  forget(): void {
    this.objects.forget();
    this.checkpoints.forget();
  }
}
