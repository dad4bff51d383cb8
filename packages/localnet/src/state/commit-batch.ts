import type { DatabaseSync } from 'node:sqlite';

/**
 * Puts what is written in one turn of the event loop into one SQLite transaction, because committing costs more
 * than most writes. A writer waits for `join`, and so responds only after the write is stored.
 */
export class CommitBatch {
  /** Called when a batch is lost, before anything else happens: what was known of the state may be wrong. */
  onLost: () => void = () => {};
  readonly #database: DatabaseSync;
  #open: PromiseWithResolvers<void> | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Begins a batch unless one is open; resolves when it is kept, rejects when it is lost. */
  join(): Promise<void> {
    if (this.#open === undefined) {
      this.#database.exec('BEGIN IMMEDIATE');
      this.#open = Promise.withResolvers();
      // Who joined hears of the loss; nobody may have.
      this.#open.promise.catch(() => {});
      setImmediate(() => {
        try {
          this.flush();
        } catch {
          // Told to those who joined.
        }
      });
    }
    return this.#open.promise;
  }

  /** Resolves when all that was written so far is kept. */
  get kept(): Promise<void> | undefined {
    return this.#open?.promise;
  }

  /** Keeps what was written so far, now. */
  flush(): void {
    const open = this.#open;
    if (open === undefined) return;
    try {
      this.#database.exec('COMMIT');
    } catch (error) {
      this.fail(error);
      throw error;
    }
    this.#open = undefined;
    open.resolve();
  }

  /** Gives up the open batch, if any: a part of it could not be written. */
  fail(error: unknown): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    // Some errors (a full disk) have rolled it back already.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.onLost();
    open.reject(error);
  }
}
