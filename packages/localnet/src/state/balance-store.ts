import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { idBytes, text } from './encoding.ts';

/** What each address holds in coins, per coin type, kept beside the coins themselves. */
export class BalanceStore {
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #list: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT amount FROM balances WHERE owner = ? AND coin_type = ?');
    this.#set = database.prepare('INSERT OR REPLACE INTO balances VALUES (?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM balances WHERE owner = ? AND coin_type = ?');
    this.#list = database.prepare(
      'SELECT coin_type, amount FROM balances WHERE owner = ? AND coin_type > ? ORDER BY coin_type LIMIT ?',
    );
  }

  get(owner: string, coinType: string): bigint {
    const row = this.#get.get(idBytes(owner), coinType);
    return row === undefined ? 0n : BigInt(text(row, 'amount'));
  }

  add(owner: string, coinType: string, change: bigint): void {
    const amount = this.get(owner, coinType) + change;
    if (amount < 0n) throw new Error(`${owner} would hold less than nothing of ${coinType}`);
    if (amount === 0n) this.#delete.run(idBytes(owner), coinType);
    else this.#set.run(idBytes(owner), coinType, String(amount));
  }

  /** By coin type, after `afterCoinType`. */
  list(owner: string, afterCoinType: string, limit: number): { coinType: string; balance: bigint }[] {
    return this.#list
      .all(idBytes(owner), afterCoinType, limit)
      .map((row) => ({ coinType: text(row, 'coin_type'), balance: BigInt(text(row, 'amount')) }));
  }
}
