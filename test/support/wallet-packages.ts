import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  policy,
  type SharedTarget,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import type { Transaction } from '@mysten/sui/transactions';
import { expect } from 'vitest';
import { agentsEvents } from '../../lib/chain/events/agents.ts';
import type { EventCodec } from '../../lib/chain/events/codec.ts';
import { escrowEvents } from '../../lib/chain/events/escrow.ts';
import { rulesEvents } from '../../lib/chain/events/rules.ts';
import { walletEvents } from '../../lib/chain/events/wallet.ts';
import { findCreatedObject, publish } from '../../services/demo/publish.ts';
import { createTesterClient } from './tester-client.ts';

/** SUI, as the chain spells it. */
export const coinType = `0x${'2'.padStart(64, '0')}::sui::SUI`;

export interface ExecutedWithEvents extends Executed {
  /** Names of our packages' events, in the order of emission. */
  names: string[];
  /** Returns the fields of the only event with that name. */
  getEvent(name: string): Record<string, unknown>;
}

export interface WalletPackages {
  localnet: Localnet;
  client: ChainClient;
  /** The publisher of all packages. */
  owner: Account;
  packages: { wallet: string; rules: string; agents: string; escrow: string };
  ruleRegistry: SharedTarget;
  agentRegistry: SharedTarget;
  newAccount(): Promise<Account>;
  /** Executes the transaction that `build` fills, and decodes its events with the codecs of the read model. */
  run(account: Account, build: (tx: Transaction) => void): Promise<ExecutedWithEvents>;
  close(): Promise<void>;
}

/** A network of its own with `move/wallet`, `move/rules`, `move/agents` and `move/escrow` on it. */
export async function startWalletPackages(): Promise<WalletPackages> {
  await using starting = new AsyncDisposableStack();
  const localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  starting.defer(() => localnet.close());
  const client = createTesterClient(localnet.rpcUrl);
  starting.defer(() => client.close());
  const newAccount = () => createAccount(client, localnet.faucetUrl);
  const owner = await newAccount();

  const { packageId: wallet } = await publish(owner, 'wallet');
  const rules = await publish(owner, 'rules', { wallet });
  const agents = await publish(owner, 'agents');
  const { packageId: escrow } = await publish(owner, 'escrow', { wallet });
  const packages = { wallet, rules: rules.packageId, agents: agents.packageId, escrow };
  const readers = new Map([
    [packages.wallet, reader(walletEvents)],
    [packages.rules, reader(rulesEvents)],
    [packages.agents, reader(agentsEvents)],
    [packages.escrow, reader(escrowEvents)],
  ]);
  const toRegistryTarget = ({ packageId, ...executed }: typeof rules): SharedTarget => ({
    packageId,
    objectId: findCreatedObject(executed, '::registry::Registry'),
  });

  const running = starting.move();
  return {
    localnet,
    client,
    owner,
    packages,
    ruleRegistry: toRegistryTarget(rules),
    agentRegistry: toRegistryTarget(agents),
    newAccount,
    async run(account, build) {
      const executed = await execute(account, build);
      const include = { events: true } as const;
      const { Transaction: read } = await client.getTransaction({ digest: executed.digest, include });
      const events = (read?.events ?? []).map(({ eventType, bcs }) => {
        const [packageId = '', ...rest] = eventType.split('::');
        const name = rest.join('::');
        const read = readers.get(packageId);
        if (!read) throw new Error(`no codec is for ${eventType}`);
        return { name, fields: read(name, bcs) };
      });
      return {
        ...executed,
        names: events.map((event) => event.name),
        getEvent(name) {
          const found = events.filter((event) => event.name === name);
          expect(found.length, name).toBe(1);
          return found[0]!.fields;
        },
      };
    },
    close: () => running.disposeAsync(),
  };
}

function reader<Events>(codec: EventCodec<Events>) {
  return (name: string, bytes: Uint8Array): Record<string, unknown> => {
    if (!codec.isName(name)) throw new Error(`no codec knows ${name}`);
    const fields = codec.decode(name, bytes);
    // No bytes are left over: the contract appends no field that the codec lacks.
    expect(Buffer.from(codec.encode(name, fields)).equals(bytes), name).toBe(true);
    return Object.fromEntries(Object.entries(fields as object));
  };
}

/**
 * Creates a wallet of the owner's with 1000 base units of `coinType`, under a policy that lets scoped caps spend their
 * budgets.
 */
export async function newWallet(
  { owner, packages, run }: WalletPackages,
  setUp: (tx: Transaction, wallet: WalletTarget) => void = () => {},
): Promise<{ walletId: string; wallet: WalletTarget; made: ExecutedWithEvents }> {
  const { scopedAuth, scopedBudget } = policy.walletRules(packages.wallet);
  const made = await run(owner, (tx) => {
    const wallet = wallets.create(tx, packages.wallet);
    const [coin] = tx.splitCoins(tx.gas, [1000n]);
    wallets.deposit(tx, wallet, { coinType, coin });
    policy.initialize(tx, wallet);
    policy.addAuthRule(tx, wallet, scopedAuth);
    policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
    setUp(tx, wallet);
    wallets.share(tx, wallet);
  });
  const walletId = findCreatedObject(made, '::wallet::Wallet');
  return { walletId, wallet: { packageId: packages.wallet, wallet: walletId }, made };
}

/** Expects that the transaction fails in `module` with that abort code. */
export async function expectAbort(
  module: string,
  code: number,
  account: Account,
  build: (tx: Transaction) => void,
): Promise<void> {
  const abort = new RegExp(`abort code: ${code}, in '0x[0-9a-f]{64}::${module}::`);
  await expect(execute(account, build)).rejects.toThrow(abort);
}

/** Expects that the object no longer exists. */
export async function expectGone({ client }: WalletPackages, objectId: string): Promise<void> {
  await expect(client.getObject({ objectId })).rejects.toThrow(/not found/i);
}
