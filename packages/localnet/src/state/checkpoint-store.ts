import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { blob, integer, optional, type Row, text } from './encoding.ts';

interface Bounds {
  lowest: number;
  highest: number;
}

export interface CheckpointRow {
  sequence: number;
  digest: string;
  timestampMs: number;
  /** `TransactionRow.sequence` of its first transaction, and how many it has. */
  firstTransaction: number;
  transactionCount: number;
  summaryBcs: Uint8Array;
  contentsBcs: Uint8Array;
}

/**
 * Checkpoints from the lowest available one to the tip. One that is missing between others, or behind the last, is empty
 * and follows from the one before it (`quietCheckpoint`): an idle network takes no room.
 */
export class CheckpointStore {
  readonly #insert: StatementSync;
  readonly #before: StatementSync;
  readonly #setQuiet: StatementSync;
  readonly #byDigest: StatementSync;
  readonly #selectBounds: StatementSync;
  readonly #prune: StatementSync;
  /** Remembered until a write: every response names them. */
  #bounds: Bounds | undefined;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare('INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#before = database.prepare(
      'SELECT * FROM checkpoints WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1',
    );
    this.#setQuiet = database.prepare('INSERT OR REPLACE INTO quiet_checkpoints VALUES (0, ?)');
    this.#byDigest = database.prepare('SELECT * FROM checkpoints WHERE digest = ?');
    // Two queries in one: SQLite takes a minimum or a maximum from an index only when it is the only one.
    this.#selectBounds = database.prepare(
      `SELECT (SELECT min(sequence) FROM checkpoints) AS lowest,
         (SELECT max(sequence) FROM checkpoints)
           + coalesce((SELECT count FROM quiet_checkpoints), 0) AS highest`,
    );
    this.#prune = database.prepare('DELETE FROM checkpoints WHERE sequence < ?');
  }

  insert(row: CheckpointRow): void {
    this.#bounds = undefined;
    this.#insert.run(
      ...[row.sequence, row.digest, row.timestampMs, row.firstTransaction, row.transactionCount],
      ...[row.summaryBcs, row.contentsBcs],
    );
  }

  /** Says how many there are behind the last one that was inserted. */
  setQuiet(count: number): void {
    this.#bounds = undefined;
    this.#setQuiet.run(count);
  }

  /** The last one that was inserted up to a number. */
  before(sequence: number): CheckpointRow | undefined {
    const row = this.#before.get(sequence);
    return row === undefined ? undefined : rowOf(row);
  }

  /** Of those that were inserted. */
  byDigest(digest: string): CheckpointRow | undefined {
    const row = this.#byDigest.get(digest);
    return row === undefined ? undefined : rowOf(row);
  }

  /** Absent before genesis. */
  bounds(): Bounds | undefined {
    this.#bounds ??= this.#readBounds();
    return this.#bounds;
  }

  #readBounds(): Bounds | undefined {
    const row = this.#selectBounds.get() ?? { lowest: null, highest: null };
    const lowest = optional(integer, row, 'lowest');
    const highest = optional(integer, row, 'highest');
    return lowest === undefined || highest === undefined ? undefined : { lowest, highest };
  }

  prune(below: number): void {
    this.#bounds = undefined;
    this.#prune.run(below);
  }

  /** Drops what is remembered, after a rolled back transaction. */
  forget(): void {
    this.#bounds = undefined;
  }
}

function rowOf(row: Row): CheckpointRow {
  return {
    sequence: integer(row, 'sequence'),
    digest: text(row, 'digest'),
    timestampMs: integer(row, 'timestamp_ms'),
    firstTransaction: integer(row, 'first_transaction'),
    transactionCount: integer(row, 'transaction_count'),
    summaryBcs: blob(row, 'summary_bcs'),
    contentsBcs: blob(row, 'contents_bcs'),
  };
}
