import type { Account } from '@adaptor-marketplace/localnet/account';
import { AsyncCache, SerialTransactionExecutor } from '@mysten/sui/transactions';

type Entries = Map<string, unknown>;

/**
 * What a client remembers between transactions. Functions and shared objects are the same for everyone: accounts
 * that are given the same `known` look each of them up once.
 */
class Memory extends AsyncCache {
  readonly #known: Entries;
  readonly #own: Entries = new Map();

  constructor(known: Entries) {
    super();
    this.#known = known;
  }

  #of(type: string): Entries {
    return type === 'MoveFunction' || type === 'SharedOrImmutableObject' ? this.#known : this.#own;
  }

  protected override async get(type: string, key: string) {
    return (this.#of(type).get(`${type} ${key}`) ?? null) as never;
  }

  protected override async set(type: string, key: string, value: unknown) {
    this.#of(type).set(`${type} ${key}`, value);
  }

  protected override async delete(type: string, key: string) {
    this.#of(type).delete(`${type} ${key}`);
  }

  override async clear() {
    this.#own.clear();
  }
}

/**
 * The account with an executor that builds its transactions from what it remembers, and does not have the node
 * execute each in thought first. Transactions of one account, which would fight over its coins, go in turn.
 */
export function withExecutor(account: Account, known: Entries): Account {
  const { client, keypair: signer } = account;
  const cache = new Memory(known);
  const defaultGasBudget = 2_000_000_000n;
  return { ...account, executor: new SerialTransactionExecutor({ client, signer, cache, defaultGasBudget }) };
}
