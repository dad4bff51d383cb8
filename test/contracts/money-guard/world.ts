import { join } from 'node:path';
import { faucetKeypair } from '@adaptor-marketplace/localnet/ledger/genesis';
import type { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { Account, TestNetwork } from '@adaptor-marketplace/localnet/ledger/testing/network';
import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import {
  appendUpgrade,
  type CompiledPackage,
  compilePackage,
  compileSources,
} from '@adaptor-marketplace/move-toolchain';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import { moveDir } from '../../../lib/contracts/move-dir.ts';
import {
  type Actor,
  clock,
  FixedActor,
  listCreated,
  onlyCreated,
  ownedRef,
  run,
  sharedInput,
} from './actor.ts';

export const adaptorDir = join(import.meta.dirname, 'adaptor');

/** Sources that replace those of packages under test, by package name. */
export type Replaced = Partial<Record<PackageName, PackageFiles>>;

export interface WorldOptions {
  replaced?: Replaced;
  /**
   * Sources of a second version of the wallet package. With `ahead`, the adaptor is linked to the second version, and
   * the transactions call the first. With `behind`, the adaptor is linked to the first, and the transactions call the
   * second.
   */
  upgrade?: { wallet: PackageFiles; adaptor: 'ahead' | 'behind' };
}

export const packageNames = ['wallet', 'rules', 'escrow', 'adaptor_registry', 'agents'] as const;
export type PackageName = (typeof packageNames)[number];

/** Folders of the packages below `move`. Some differ from the package's name. */
export const folderByPackage: Record<PackageName, string> = {
  wallet: 'wallet',
  rules: 'rules',
  escrow: 'escrow',
  agents: 'agents',
  adaptor_registry: 'registry',
};

/** A ledger with a clock. `passTime` advances the clock and returns its time, both in milliseconds. */
export interface GuardNetwork {
  readonly ledger: Ledger;
  passTime(ms: number): number;
}

/** A network with all packages, the hostile service and the accounts. It has no wallet yet. */
export interface World {
  network: GuardNetwork;
  /** Ids of the packages that the transactions call. With `ahead`, the wallet's is its first version. */
  packages: Record<PackageName | 'money_guard', string>;
  /** Id of the first version of the wallet package. */
  originalWallet: string;
  /**
   * `true` if the wallets have another version than the one that some packages are linked to. Recipient lists do not
   * exist then.
   */
  mixed: boolean;
  types: Types;
  shared: Shared;
  /** Ids of the stranger's entries in the registries. */
  listings: string[];
  cast: Cast;
  close(): void;
}

/** Shared objects. */
interface Shared {
  mint: string;
  bank: string;
  adaptors: string;
  rules: string;
  agents: string;
}

/** Types by the short names that cases and snapshots use. */
interface Types {
  coins: Record<Coin, string>;
  services: Record<Service, string>;
}

export const coins = ['A', 'B'] as const;
export type Coin = (typeof coins)[number];
export const services = ['S', 'T', 'Bank'] as const;
export type Service = (typeof services)[number];

interface Cast {
  /** Owner of the wallet that acts, and of another one. */
  owner: Actor;
  /** Owner of wallets that no action is for. */
  stranger: Actor;
  /** The address that acts for the wallet. It pays nothing. */
  agent: Actor;
  /** Pays the agent's gas. */
  host: Actor;
  /** Another delegate. */
  friend: Actor;
  /** Publishes the service and writes its programs. */
  attacker: Actor;
}

const names: (keyof Cast)[] = ['owner', 'stranger', 'agent', 'host', 'friend', 'attacker'];
/** Number of checkpoints that the network keeps, so that an hour's run does not fill the memory. */
const keepCheckpoints = 2;

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  return await worldOn(await TestNetwork.open(':memory:', keepCheckpoints), options);
}

/** Publishes all packages on an empty network. */
export async function worldOn(network: GuardNetwork, options: WorldOptions = {}): Promise<World> {
  const { ledger } = network;
  const actors = names.map((name): [string, Actor] => [name, new FixedActor(name)]);
  const cast = Object.fromEntries(actors) as unknown as Cast;
  await fund(
    network,
    names.flatMap((name) => (name === 'agent' ? [] : [cast[name]])),
  );
  const { packages, originalWallet, shared } = await publishAll(network, cast, options);
  const guard = packages.money_guard;
  return {
    network,
    packages,
    originalWallet,
    shared,
    cast,
    mixed: options.upgrade !== undefined,
    types: {
      coins: { A: `${guard}::coins::A`, B: `${guard}::coins::B` },
      services: { S: `${guard}::service::S`, T: `${guard}::ally::T`, Bank: `${guard}::bank::Bank` },
    },
    listings: await listAsStranger(network, cast, packages, shared),
    close: () => ledger.close(),
  };
}

async function publishAll(
  { ledger }: GuardNetwork,
  { attacker }: Cast,
  { replaced = {}, upgrade }: WorldOptions,
): Promise<Pick<World, 'packages' | 'originalWallet' | 'shared'>> {
  const packages: Record<string, string> = {};
  const registries: Record<string, string> = {};
  const publish = async (name: string, { modules, dependencies }: CompiledPackage) => {
    const content = { modules: modules.map((module) => toBase64(module)), dependencies };
    const made = await run(ledger, attacker, (tx) =>
      tx.transferObjects([tx.publish(content)], attacker.address),
    );
    packages[name] = newPackage(made);
    const [registry] = listCreated(made, '::registry::Registry');
    if (registry !== undefined) registries[name] = registry;
    return made;
  };
  const compiled = async (name: PackageName) => {
    const dir = join(moveDir, folderByPackage[name]);
    const files = replaced[name];
    const options = { published: packages };
    return files
      ? await compileSources(files, { ...options, base: dir })
      : await compilePackage(dir, options);
  };
  const first = await publish('wallet', await compiled('wallet'));
  const originalWallet = packages.wallet!;
  const newer =
    upgrade &&
    (await upgradePackage(ledger, attacker, {
      packageId: originalWallet,
      capId: onlyCreated(first, '::package::UpgradeCap'),
      compiled: await compileSources(upgrade.wallet, { base: join(moveDir, 'wallet') }),
    }));
  const ahead = upgrade?.adaptor === 'ahead';
  for (const name of packageNames) if (name !== 'wallet') await publish(name, await compiled(name));
  const adaptor = await compilePackage(adaptorDir, { published: packages });
  const dependencies = adaptor.dependencies.map((id) => (ahead && id === originalWallet ? newer! : id));
  const made = await publish('money_guard', { ...adaptor, dependencies });
  if (upgrade && !ahead) packages.wallet = newer!;
  const opened = await run(ledger, attacker, (tx) => {
    tx.moveCall({ target: `${packages.money_guard}::bank::open` });
  });
  return {
    packages: packages as World['packages'],
    originalWallet,
    shared: {
      mint: onlyCreated(made, '::coins::Mint'),
      bank: onlyCreated(opened, '::bank::Accounts'),
      adaptors: registries.adaptor_registry!,
      rules: registries.rules!,
      agents: registries.agents!,
    },
  };
}

const newPackage = ({ objects }: ExecutedTransaction) =>
  objects.find(({ type, change }) => type === 'package' && change === 'created')!.id;

/** Upgrades a package. Returns the id of the new version. */
export async function upgradePackage(
  ledger: Ledger,
  publisher: Actor,
  { packageId, capId, compiled }: { packageId: string; capId: string; compiled: CompiledPackage },
): Promise<string> {
  const cap = Inputs.ObjectRef(ownedRef(ledger, capId));
  return newPackage(await run(ledger, publisher, (tx) => appendUpgrade(tx, { packageId, cap }, compiled)));
}

/** Lists an entry of the stranger's in each registry. Returns their ids. */
async function listAsStranger(
  { ledger }: GuardNetwork,
  { stranger }: Cast,
  packages: World['packages'],
  { adaptors, rules, agents }: Shared,
): Promise<string[]> {
  const made = await run(ledger, stranger, (tx) => {
    const named = tx.pure.string(`${packages.money_guard}::service::S`);
    const common = [tx.pure.string('uri'), tx.pure.vector('u8', Array(32).fill(0)), tx.object(clock(ledger))];
    const at = (id: string) => [
      tx.object(sharedInput(ledger, id)),
      tx.pure.address(packages.money_guard),
      named,
    ];
    const target = (name: PackageName) => `${packages[name]}::registry::register`;
    tx.moveCall({ target: target('adaptor_registry'), arguments: [...at(adaptors), ...common] });
    tx.moveCall({ target: target('rules'), arguments: [...at(rules), tx.pure.u8(0), ...common] });
    const profile = [tx.pure.string('n'), tx.pure.string('d'), tx.pure.vector('string', [])];
    const card = tx.pure.option('string', null);
    const own = [tx.object(sharedInput(ledger, agents)), ...profile, card, tx.object(clock(ledger))];
    tx.moveCall({ target: target('agents'), arguments: own });
  });
  const entries = made.objects.filter(
    ({ type, change }) => change === 'created' && /::registry::(Listing>|Agent)>$/.test(type),
  );
  if (entries.length !== 3) throw new Error(`the registries have ${entries.length} new entries`);
  return entries.map(({ id }) => id);
}

/** Gives each account one coin of a million SUI. */
async function fund({ ledger }: GuardNetwork, actors: readonly Actor[]): Promise<void> {
  const tx = new Transaction();
  for (const { address } of actors) {
    tx.transferObjects([tx.splitCoins(tx.gas, [1_000_000_000_000_000n])], address);
  }
  await new Account(ledger, faucetKeypair()).execute(tx);
  for (const actor of actors) {
    actor.gasId = ledger.listOwnedObjects(actor.address, { limit: 1 }).items[0]!.id;
  }
}
