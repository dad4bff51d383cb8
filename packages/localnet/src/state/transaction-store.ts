import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { blob, integer, optional, type Row, text } from './encoding.ts';
import { Interner } from './interner.ts';

/** A transaction as stored; JSON columns are the ledger's to read. */
export interface TransactionRow {
  /** Number since genesis, from 0: the ledger's order. */
  sequence: number;
  digest: string;
  /** The checkpoint that includes it, or will. */
  checkpoint: number;
  transactionIndex: number;
  bcs: Uint8Array;
  /** JSON: base64 strings. */
  signatures: string;
  effectsBcs: Uint8Array;
  effectsDigest: string;
  eventsBcs: Uint8Array | undefined;
  eventsDigest: string | undefined;
  failureDescription: string | undefined;
  /** JSON. */
  balanceChanges: string;
  /** JSON. */
  objects: string;
}

interface SequenceScan {
  /** Inclusive. */
  from: number;
  /** Exclusive. */
  to: number;
  descending: boolean;
  limit: number;
}

/** Executed transactions in ledger order, and the index of their keys. */
export class TransactionStore {
  readonly #keys: Interner;
  readonly #insert: StatementSync;
  readonly #insertKeys: StatementSync;
  readonly #byDigest: StatementSync;
  readonly #bySequence: StatementSync;
  readonly #range: { ascending: StatementSync; descending: StatementSync };
  readonly #keyRange: { ascending: StatementSync; descending: StatementSync };
  readonly #pruneRows: StatementSync;
  readonly #pruneKeys: StatementSync;
  readonly #unusedKeys: StatementSync;

  constructor(database: DatabaseSync) {
    this.#keys = new Interner(database, 'ledger_keys');
    this.#insert = database.prepare(
      'INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#insertKeys = database.prepare('INSERT INTO transaction_keys SELECT value, ? FROM json_each(?)');
    this.#byDigest = database.prepare('SELECT * FROM transactions WHERE digest = ?');
    this.#bySequence = database.prepare('SELECT * FROM transactions WHERE sequence = ?');
    const range = (order: string) =>
      database.prepare(
        `SELECT * FROM transactions WHERE sequence >= ? AND sequence < ? ORDER BY sequence ${order} LIMIT ?`,
      );
    this.#range = { ascending: range('ASC'), descending: range('DESC') };
    const keyRange = (order: string) =>
      database.prepare(
        `SELECT sequence FROM transaction_keys WHERE key_id = ? AND sequence >= ? AND sequence < ?
         ORDER BY sequence ${order} LIMIT ?`,
      );
    this.#keyRange = { ascending: keyRange('ASC'), descending: keyRange('DESC') };
    this.#pruneRows = database.prepare('DELETE FROM transactions WHERE sequence < ?');
    const prunedKeys = `FROM transactions t, json_each(t.key_ids) k WHERE t.sequence < ?`;
    this.#pruneKeys = database.prepare(
      `DELETE FROM transaction_keys WHERE (key_id, sequence) IN (SELECT k.value, t.sequence ${prunedKeys})`,
    );
    this.#unusedKeys = database.prepare(
      `SELECT DISTINCT k.value AS id ${prunedKeys}
       AND NOT EXISTS (SELECT 1 FROM transaction_keys u WHERE u.key_id = k.value)`,
    );
  }

  /** Adds a transaction under its keys. */
  insert(row: TransactionRow, keys: Iterable<string>): void {
    const keyIds = JSON.stringify([...new Set(keys)].map((key) => this.#keys.intern(key)));
    this.#insert.run(
      ...[row.sequence, row.digest, row.checkpoint, row.transactionIndex, row.bcs, row.signatures],
      ...[row.effectsBcs, row.effectsDigest, row.eventsBcs ?? null, row.eventsDigest ?? null],
      ...[row.failureDescription ?? null, row.balanceChanges, row.objects, keyIds],
    );
    this.#insertKeys.run(row.sequence, keyIds);
  }

  byDigest(digest: string): TransactionRow | undefined {
    const row = this.#byDigest.get(digest);
    return row === undefined ? undefined : rowOf(row);
  }

  scan(scan: SequenceScan): TransactionRow[] {
    const statement = scan.descending ? this.#range.descending : this.#range.ascending;
    return statement.all(scan.from, scan.to, scan.limit).map(rowOf);
  }

  /** Only transactions with at least one of the keys: one short index scan per key, then merged. */
  scanKeys(scan: SequenceScan, keys: string[]): TransactionRow[] {
    const statement = scan.descending ? this.#keyRange.descending : this.#keyRange.ascending;
    const sequences = new Set<number>();
    for (const key of new Set(keys)) {
      const id = this.#keys.find(key);
      if (id === undefined) continue;
      for (const row of statement.all(id, scan.from, scan.to, scan.limit))
        sequences.add(integer(row, 'sequence'));
    }
    const ordered = [...sequences].sort((a, b) => (scan.descending ? b - a : a - b));
    return ordered.slice(0, scan.limit).map((sequence) => rowOf(this.#bySequence.get(sequence) ?? {}));
  }

  /** Forgets the transactions before `sequence`. */
  prune(sequence: number): void {
    this.#pruneKeys.run(sequence);
    for (const row of this.#unusedKeys.all(sequence)) this.#keys.remove(integer(row, 'id'));
    this.#pruneRows.run(sequence);
  }

  /** Drops what is remembered, after a rolled back transaction. */
  forget(): void {
    this.#keys.forget();
  }
}

function rowOf(row: Row): TransactionRow {
  return {
    sequence: integer(row, 'sequence'),
    digest: text(row, 'digest'),
    checkpoint: integer(row, 'checkpoint'),
    transactionIndex: integer(row, 'transaction_index'),
    bcs: blob(row, 'bcs'),
    signatures: text(row, 'signatures'),
    effectsBcs: blob(row, 'effects_bcs'),
    effectsDigest: text(row, 'effects_digest'),
    eventsBcs: optional(blob, row, 'events_bcs'),
    eventsDigest: optional(text, row, 'events_digest'),
    failureDescription: optional(text, row, 'failure_description'),
    balanceChanges: text(row, 'balance_changes'),
    objects: text(row, 'objects'),
  };
}
