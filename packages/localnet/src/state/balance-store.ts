import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { idBytes, text } from './encoding.ts';

/** What somebody has of one coin type. */
interface Holding {
  /** In coins that they own. */
  coins: bigint;
  /** Without a coin: the balance of an address or an object. */
  funds: bigint;
}

/** What each address holds, per coin type: coins, kept beside the coins themselves, and funds. */
export class BalanceStore {
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #list: StatementSync;

  constructor(database: DatabaseSync) {
    this.#get = database.prepare('SELECT coins, funds FROM balances WHERE owner = ? AND coin_type = ?');
    this.#set = database.prepare('INSERT OR REPLACE INTO balances VALUES (?, ?, ?, ?)');
    this.#delete = database.prepare('DELETE FROM balances WHERE owner = ? AND coin_type = ?');
    this.#list = database.prepare(
      'SELECT coin_type, coins, funds FROM balances WHERE owner = ? AND coin_type > ? ORDER BY coin_type LIMIT ?',
    );
  }

  get(owner: string, coinType: string): Holding {
    const row = this.#get.get(idBytes(owner), coinType);
    return row === undefined ? { coins: 0n, funds: 0n } : holding(row);
  }

  add(owner: string, coinType: string, change: Partial<Holding>): void {
    const before = this.get(owner, coinType);
    const coins = before.coins + (change.coins ?? 0n);
    const funds = before.funds + (change.funds ?? 0n);
    if (coins < 0n || funds < 0n) throw new Error(`${owner} would hold less than nothing of ${coinType}`);
    if (coins === 0n && funds === 0n) this.#delete.run(idBytes(owner), coinType);
    else this.#set.run(idBytes(owner), coinType, String(coins), String(funds));
  }

  /** By coin type, after `afterCoinType`. */
  list(owner: string, afterCoinType: string, limit: number): (Holding & { coinType: string })[] {
    return this.#list
      .all(idBytes(owner), afterCoinType, limit)
      .map((row) => ({ coinType: text(row, 'coin_type'), ...holding(row) }));
  }
}

function holding(row: Parameters<typeof text>[0]): Holding {
  return { coins: BigInt(text(row, 'coins')), funds: BigInt(text(row, 'funds')) };
}
