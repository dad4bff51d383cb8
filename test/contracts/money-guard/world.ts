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
  createdOf,
  FixedActor,
  onlyCreated,
  ownedRef,
  run,
  sharedInput,
} from './actor.ts';

export const adaptorDir = join(import.meta.dirname, 'adaptor');

/** The packages under test, by their names, with the sources of some of them replaced. */
export type Replaced = Partial<Record<PackageName, PackageFiles>>;

export interface WorldOptions {
  replaced?: Replaced;
  /**
   * The wallet package has a second version, out of these sources, and one of the two is linked to by the adaptor
   * alone: `ahead`, the second, or `behind`, the first.
   */
  upgrade?: { wallet: PackageFiles; adaptor: 'ahead' | 'behind' };
}

export const packageNames = ['wallet', 'rules', 'escrow', 'adaptor_registry', 'agents'] as const;
export type PackageName = (typeof packageNames)[number];

/** Folders below `move` that are called otherwise than their packages. */
export const folderOf: Record<PackageName, string> = {
  ...{ wallet: 'wallet', rules: 'rules', escrow: 'escrow', agents: 'agents' },
  adaptor_registry: 'registry',
};

/** A ledger, and what time it is there, after some more of it has passed. */
export interface GuardNetwork {
  readonly ledger: Ledger;
  passTime(ms: number): number;
}

/** A network with all packages, the hostile service on it, and those who act. No wallet is on it yet. */
export interface World {
  network: GuardNetwork;
  /** Where calls go. */
  packages: Record<PackageName | 'money_guard', string>;
  /** The wallet package as first published. */
  originalWallet: string;
  /** Whether the wallets are of another version than the one that some packages link to: no list is there then. */
  mixed: boolean;
  types: Types;
  shared: Shared;
  /** Entries of the stranger's in the registries. */
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
  /** Of the wallet that acts, and of another one. */
  owner: Actor;
  /** Of a wallet that no action is for. */
  stranger: Actor;
  /** The address that acts for the one wallet; it pays nothing. */
  agent: Actor;
  /** Who pays the agent's gas. */
  host: Actor;
  /** Another delegate. */
  friend: Actor;
  /** Who publishes the service and writes its programs. */
  attacker: Actor;
}

const names: (keyof Cast)[] = ['owner', 'stranger', 'agent', 'host', 'friend', 'attacker'];
/** Checkpoints that stay, so that an hour's run does not fill the memory. */
const keepCheckpoints = 2;

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  return await worldOn(await TestNetwork.open(':memory:', keepCheckpoints), options);
}

/** Publishes everything on a network on which none of it is yet. */
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
    ...{ network, packages, originalWallet, shared, cast, mixed: options.upgrade !== undefined },
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
    const [registry] = createdOf(made, '::registry::Registry');
    if (registry !== undefined) registries[name] = registry;
    return made;
  };
  const compiled = async (name: PackageName) => {
    const dir = join(moveDir, folderOf[name]);
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
      ...{ packageId: originalWallet, capId: onlyCreated(first, '::package::UpgradeCap') },
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

/** Answers the new version's id. */
export async function upgradePackage(
  ledger: Ledger,
  publisher: Actor,
  { packageId, capId, compiled }: { packageId: string; capId: string; compiled: CompiledPackage },
): Promise<string> {
  const cap = Inputs.ObjectRef(ownedRef(ledger, capId));
  return newPackage(await run(ledger, publisher, (tx) => appendUpgrade(tx, { packageId, cap }, compiled)));
}

/** What the stranger lists in the registries; answers the entries. */
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

/** One coin for each, of a million SUI. */
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
