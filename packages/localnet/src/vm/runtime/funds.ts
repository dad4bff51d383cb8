import { VmError } from '../errors.ts';

/** Funds of one owner and type that a transaction moved, net. */
export interface FundsWrite {
  /** Id of the place where they are counted. */
  accumulator: string;
  owner: string;
  /** Canonical: `0x2::balance::Balance<T>`. */
  type: string;
  operation: 'merge' | 'split';
  amount: bigint;
}

/** What owners had before the transaction, by canonical type. */
export type ReadFunds = (owner: string, type: string) => bigint;

interface Account {
  accumulator: string;
  owner: string;
  type: string;
  /** Sum of all that was added; absent when nothing was. */
  merged: bigint | undefined;
  /** Sum of all that was taken out. */
  split: bigint;
}

const U64_MAX = (1n << 64n) - 1n;

function sumWithin(sum: bigint, amount: bigint, what: string): bigint {
  const total = sum + amount;
  if (total > U64_MAX) throw new VmError('arithmetic', `all ${what} of funds together exceed a u64`);
  return total;
}

/** What a running transaction does to funds of addresses and objects. */
export class Funds {
  readonly #read: ReadFunds;
  readonly #accounts = new Map<string, Account>();

  constructor(read: ReadFunds) {
    this.#read = read;
  }

  /** @throws VmError if all that a transaction adds to funds is more than a u64 holds, whatever it takes out between */
  merge(accumulator: string, owner: string, type: string, amount: bigint): void {
    const account = this.#account(accumulator, owner, type);
    account.merged = sumWithin(account.merged ?? 0n, amount, 'merges');
  }

  /**
   * Returns `false` if the owner gives out more than they had and got in this transaction.
   * @throws VmError if all that a transaction takes out of funds is more than a u64 holds
   */
  split(accumulator: string, owner: string, type: string, amount: bigint): boolean {
    const account = this.#account(accumulator, owner, type);
    account.split = sumWithin(account.split, amount, 'splits');
    return this.#left(account) >= 0n;
  }

  get writes(): FundsWrite[] {
    return [...this.#accounts.values()].map(({ accumulator, owner, type, merged, split }) => {
      const net = (merged ?? 0n) - split;
      const operation = merged !== undefined && net >= 0n ? 'merge' : 'split';
      return { accumulator, owner, type, operation, amount: net < 0n ? -net : net };
    });
  }

  #left({ owner, type, merged, split }: Account): bigint {
    return this.#read(owner, type) + (merged ?? 0n) - split;
  }

  #account(accumulator: string, owner: string, type: string): Account {
    let account = this.#accounts.get(accumulator);
    if (account === undefined) {
      account = { accumulator, owner, type, merged: undefined, split: 0n };
      this.#accounts.set(accumulator, account);
    }
    return account;
  }
}
