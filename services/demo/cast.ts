import { agents as calls } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, createAccount, createAccounts, execute } from '@adaptor-marketplace/localnet/account';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { AsyncCache, SerialTransactionExecutor } from '@mysten/sui/transactions';
import { type Core, milliSui } from './publish.ts';

type Entries = Map<string, unknown>;

/** Cache between transactions. Accounts with the same `shared` entries look functions and shared objects up once. */
class SharedCache extends AsyncCache {
  readonly #shared: Entries;
  readonly #own: Entries = new Map();

  constructor(shared: Entries) {
    super();
    this.#shared = shared;
  }

  #choose(type: string): Entries {
    return type === 'MoveFunction' || type === 'SharedOrImmutableObject' ? this.#shared : this.#own;
  }

  protected override async get(type: string, key: string) {
    return (this.#choose(type).get(`${type} ${key}`) ?? null) as never;
  }

  protected override async set(type: string, key: string, value: unknown) {
    this.#choose(type).set(`${type} ${key}`, value);
  }

  protected override async delete(type: string, key: string) {
    this.#choose(type).delete(`${type} ${key}`);
  }

  override async clear() {
    this.#own.clear();
  }
}

/** Returns the account with an executor that needs no simulations, one transaction at a time: they share coins. */
export function withExecutor(account: Account, shared: Entries): Account {
  const { client, keypair: signer } = account;
  const cache = new SharedCache(shared);
  const defaultGasBudget = 2_000_000_000n;
  return { ...account, executor: new SerialTransactionExecutor({ client, signer, cache, defaultGasBudget }) };
}

/** The accounts that do not get their coins from the faucet. */
const people = [
  // Publishers.
  'harbour',
  'lagoon',
  'reef',
  'anchor',
  'squatter',
  // Owners of wallets.
  'ana',
  'ben',
  'cleo',
  'dan',
  // The operator of the service: its managed key.
  'host',
  // Delegates: an agent with a key of its own; the scout, who gets a part of its budget; the runner, a part of that.
  'agent',
  'scout',
  'runner',
  // Hired work and its judge.
  'provider',
  'arbiter',
  // Reviews adaptors without having used any.
  'critic',
] as const;
type Person = (typeof people)[number];

/**
 * All accounts. The operator publishes the network's own contracts, the keeper runs the protocols, and the owner is the person
 * who tries the demo.
 */
export type Cast = Record<'operator' | 'keeper' | 'owner' | Person, Account>;

export async function assembleCast(client: SuiGrpcClient, faucetUrl: string): Promise<Cast> {
  const shared = new Map<string, unknown>();
  const fromFaucet = async () => withExecutor(await createAccount(client, faucetUrl), shared);
  const [operator, keeper, owner] = await Promise.all([fromFaucet(), fromFaucet(), fromFaucet()]);
  const accounts = await createAccounts(operator, people.length, milliSui(60_000));
  const rest = people.map((name, index) => [name, withExecutor(accounts[index]!, shared)] as const);
  return { operator, keeper, owner, ...(Object.fromEntries(rest) as Record<Person, Account>) };
}

/** Three agents register; then one updates its skills and one unlists itself. */
export async function registerAgents({ agent, scout, provider }: Cast, { agents }: Core): Promise<void> {
  const treasurer: calls.AgentProfile = {
    name: 'Treasurer',
    description: 'Keeps idle coins at work and pays what is due.',
    skills: ['swap', 'savings'],
    cardUrl: 'https://agents.example/treasurer.json',
  };
  const reviewer: calls.AgentProfile = {
    name: 'Contract reviewer',
    description: 'Reads Move packages and writes down what can go wrong.',
    skills: ['audit', 'move'],
    cardUrl: null,
  };
  const courier: calls.AgentProfile = { name: 'Courier', description: '', skills: [], cardUrl: null };
  await Promise.all([
    execute(agent, (tx) => calls.register(tx, agents, treasurer)),
    execute(scout, (tx) => calls.register(tx, agents, courier)),
    execute(provider, (tx) => calls.register(tx, agents, reviewer)),
    execute(agent, (tx) =>
      calls.update(tx, agents, { ...treasurer, skills: [...treasurer.skills, 'vault'] }),
    ),
    execute(scout, (tx) => calls.unlist(tx, agents)),
  ]);
}
