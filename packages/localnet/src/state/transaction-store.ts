import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { blob, integer, optional, type Row, text } from './encoding.ts';

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
  readonly #insert: StatementSync;
  readonly #insertKeys: StatementSync;
  readonly #byDigest: StatementSync;
  readonly #bySequence: StatementSync;
  readonly #range: { ascending: StatementSync; descending: StatementSync };
  readonly #keyRange: { ascending: StatementSync; descending: StatementSync };
  readonly #pruneRows: StatementSync;
  readonly #pruneKeys: StatementSync;

  constructor(database: DatabaseSync) {
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
        `SELECT sequence FROM transaction_keys WHERE key = ? AND sequence >= ? AND sequence < ?
         ORDER BY sequence ${order} LIMIT ?`,
      );
    this.#keyRange = { ascending: keyRange('ASC'), descending: keyRange('DESC') };
    this.#pruneRows = database.prepare('DELETE FROM transactions WHERE sequence < ?');
    this.#pruneKeys = database.prepare(
      `DELETE FROM transaction_keys WHERE (key, sequence) IN (
         SELECT k.value, t.sequence FROM transactions t, json_each(t.keys) k WHERE t.sequence < ?)`,
    );
  }

  /** Adds a transaction under its keys. */
  insert(row: TransactionRow, keys: Iterable<string>): void {
    const numbers = JSON.stringify([...new Set(Array.from(keys, keyNumber))]);
    this.#insert.run(
      ...[row.sequence, row.digest, row.checkpoint, row.transactionIndex, row.bcs, row.signatures],
      ...[row.effectsBcs, row.effectsDigest, row.eventsBcs ?? null, row.eventsDigest ?? null],
      ...[row.failureDescription ?? null, row.balanceChanges, row.objects, numbers],
    );
    this.#insertKeys.run(row.sequence, numbers);
  }

  byDigest(digest: string): TransactionRow | undefined {
    const row = this.#byDigest.get(digest);
    return row === undefined ? undefined : rowOf(row);
  }

  scan(scan: SequenceScan): TransactionRow[] {
    const statement = scan.descending ? this.#range.descending : this.#range.ascending;
    return statement.all(scan.from, scan.to, scan.limit).map(rowOf);
  }

  /**
   * Transactions with at least one of the keys: one short index scan per key, then merged. A key that has the number of
   * another finds its transactions too, so who asks looks at what they are.
   */
  scanKeys(scan: SequenceScan, keys: string[]): TransactionRow[] {
    const statement = scan.descending ? this.#keyRange.descending : this.#keyRange.ascending;
    const sequences = new Set<number>();
    for (const key of new Set(keys.map(keyNumber))) {
      for (const row of statement.all(key, scan.from, scan.to, scan.limit))
        sequences.add(integer(row, 'sequence'));
    }
    const ordered = [...sequences].sort((a, b) => (scan.descending ? b - a : a - b));
    return ordered.slice(0, scan.limit).map((sequence) => rowOf(this.#bySequence.get(sequence) ?? {}));
  }

  /** Forgets the transactions before `sequence`. */
  prune(sequence: number): void {
    this.#pruneKeys.run(sequence);
    this.#pruneRows.run(sequence);
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

/**
 * The number of an index key: 53 bits of a hash (cyrb53). Texts of their own for keys would be the largest index by far, and
 * the one whose pages change the most.
 */
function keyNumber(key: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < key.length; i += 1) {
    const unit = key.charCodeAt(i);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (low >>> 0) + (high & 0x1f_ffff) * 2 ** 32;
}
