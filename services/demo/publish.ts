import { join } from 'node:path';
import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import type { RegistryIds, SharedTarget } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import type { Transaction, TransactionArgument, TransactionResult } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import { moveDir } from '../../lib/contracts/move-dir.ts';

/** SUI, as the chain spells it; nine decimals. */
export const SUI = `0x${'2'.padStart(64, '0')}::sui::SUI`;

/** Thousandths of a SUI in MIST. */
export const milliSui = (amount: number | bigint) => BigInt(amount) * 1_000_000n;

/** Dollars in base units; six decimals. */
export const dollars = (amount: number) => BigInt(Math.round(amount * 1_000_000));

/** Modules of `move/protocols/coins`, by the names of their coins. */
const modules = {
  dollar: 'dollar',
  reefSui: 'reef_sui',
  flashSui: 'flash_sui',
  creditUsd: 'credit_usd',
  anchorUsd: 'anchor_usd',
  tideSui: 'tide_sui',
};
type CoinName = keyof typeof modules;

/** The coins beside SUI: dollars, the share coins of protocols, and a stablecoin. */
export interface Coins {
  packageId: string;
  types: Record<CoinName, string>;
  /** The objects that mint them, which are the publisher's until a protocol takes them. */
  treasuries: Record<CoinName, string>;
}

/** Publishes the coins; nothing is minted. */
export async function issueCoins(publisher: Account): Promise<Coins> {
  const published = await publish(publisher, 'protocols/coins');
  const { packageId } = published;
  const types = mapModules((module) => `${packageId}::${module}::${module.toUpperCase()}`);
  const treasuries = mapModules((module) => {
    const type = `${packageId}::${module}::${module.toUpperCase()}`;
    return findCreatedObject(published, `::coin::TreasuryCap<${type}>`);
  });
  return { packageId, types, treasuries };
}

function mapModules(toValue: (module: string) => string): Record<CoinName, string> {
  const entries = Object.entries(modules).map(([name, module]) => [name, toValue(module)]);
  return Object.fromEntries(entries) as Record<CoinName, string>;
}

/** Appends a call that mints dollars, in base units. The sender must own their treasury. */
export function mintDollars(
  tx: Transaction,
  { types, treasuries }: Coins,
  amount: bigint,
): TransactionResult {
  return tx.moveCall({
    target: '0x2::coin::mint',
    typeArguments: [types.dollar],
    arguments: [tx.object(treasuries.dollar), tx.pure.u64(amount)],
  });
}

/** An adaptor package below `move/adaptors` and its manifest. */
export interface DemoAdaptor {
  folder: string;
  witness: string;
  manifest: Pick<
    Manifest,
    'name' | 'category' | 'summary' | 'ops' | 'supportedCoins' | 'feeBps' | 'integrator' | 'networks'
  >;
}

type ManifestOp = Manifest['ops'][number];
export type Call = NonNullable<ManifestOp['call']>;
type Argument = Call['args'][number];

/** An op in the adaptor's only module, which is named as its folder. */
export interface Op {
  kind: ManifestOp['kind'];
  entry: string;
  label: string;
  intentMode?: 'A' | 'D';
  call?: Call;
  calls?: NonNullable<ManifestOp['calls']>;
}

export const wallet: Argument = { role: 'wallet' };
export const amount: Argument = { role: 'amount' };
export const minOut: Argument = { role: 'minOut' };
export const clock: Argument = { role: 'clock' };
/** A shared object that the op changes. */
export const shared = (objectId: string): Argument => ({ role: 'object', objectId, mutable: true });
/** A shared object that the op only reads. */
export const read = (objectId: string): Argument => ({ role: 'object', objectId, mutable: false });
/** A value that the caller provides under that name. */
export const provided = (name: string, type: string): Argument => ({ role: 'pure', type, name });

/** An op of one call with these arguments, between the wallet and the clock. */
export const op = (
  kind: Op['kind'],
  entry: string,
  label: string,
  typeArgs: Call['typeArgs'],
  args: Call['args'],
  intentMode?: Op['intentMode'],
): Op => ({
  kind,
  entry,
  label,
  call: { typeArgs, args: [wallet, ...args, clock] },
  ...(intentMode && { intentMode }),
});

export function adaptor(
  folder: string,
  witness: string,
  { ops, ...manifest }: Omit<DemoAdaptor['manifest'], 'ops' | 'networks'> & { ops: Op[] },
): DemoAdaptor {
  const inModule = ops.map((op) => ({ ...op, module: folder }));
  return { folder, witness, manifest: { ...manifest, networks: ['testnet'], ops: inModule } };
}

export interface PublishedPackage extends Executed {
  packageId: string;
}

/** A package on chain, and the service type its publisher lists it under. */
export interface Deployed {
  packageId: string;
  serviceType: string;
}

/**
 * Compiles `move/<path>` and publishes it; the account keeps the UpgradeCap.
 * @param published ids of the packages that it uses, by name
 */
export async function publish(
  account: Account,
  path: string,
  published: Record<string, string> = {},
): Promise<PublishedPackage> {
  const { modules, dependencies } = await compilePackage(join(moveDir, path), { published });
  const executed = await execute(account, (tx) => {
    const upgradeCap = tx.publish({ modules: modules.map((module) => toBase64(module)), dependencies });
    tx.transferObjects([upgradeCap], account.address);
  });
  const created = executed.created.find((object) => object.type === 'package');
  if (!created) throw new Error(`publishing ${path} made no package`);
  return { ...executed, packageId: created.id };
}

/** Returns the id of the created object whose type ends in `suffix`. */
export function findCreatedObject(executed: Executed, suffix: string): string {
  const found = executed.created.find((object) => object.type.endsWith(suffix));
  if (!found) throw new Error(`no ${suffix} was created`);
  return found.id;
}

/** The contracts that all wallets and adaptors use. */
export interface Core {
  registry: RegistryIds;
  attestations: SharedTarget;
  wallet: string;
  rules: SharedTarget;
  agents: SharedTarget;
  escrow: string;
}

export async function publishCore(operator: Account): Promise<Core> {
  const wallet = (await publish(operator, 'wallet')).packageId;
  const registry = findSharedRegistry(await publish(operator, 'registry'));
  const rules = findSharedRegistry(await publish(operator, 'rules', { wallet }));
  const agents = findSharedRegistry(await publish(operator, 'agents'));
  const published = await publish(operator, 'attestations');
  const objectId = findCreatedObject(published, '::attestations::Registry');
  const attestations = { packageId: published.packageId, objectId };
  const escrow = (await publish(operator, 'escrow', { wallet })).packageId;
  return { registry, wallet, rules, agents, escrow, attestations };
}

function findSharedRegistry(published: PublishedPackage): SharedTarget {
  return { packageId: published.packageId, objectId: findCreatedObject(published, '::registry::Registry') };
}

/** A package, the shared object that an adaptor works on, and the types of its coins by role. */
export interface Venue<Role extends string> {
  packageId: string;
  objectId: string;
  coins: Record<Role, string>;
}

/** A venue without the id of its shared object, which `openShared` finds in the transaction. */
export interface PendingVenue<Role extends string> extends Pick<Venue<Role>, 'packageId' | 'coins'> {
  objectType: string;
}

/** An argument of a protocol's function. A text is the id of an object, a number a u64. */
export type ProtocolArgument = TransactionArgument | string | number | bigint;

/** Appends a call of a protocol's function, whose type arguments are the coins. */
export function callProtocol(
  tx: Transaction,
  { packageId, coins }: Pick<Venue<string>, 'packageId' | 'coins'>,
  path: string,
  args: readonly ProtocolArgument[],
): TransactionResult {
  const toArgument = (one: ProtocolArgument) => {
    if (typeof one === 'string') return tx.object(one);
    return typeof one === 'number' || typeof one === 'bigint' ? tx.pure.u64(one) : one;
  };
  return tx.moveCall({
    target: `${packageId}::${path}`,
    typeArguments: Object.values(coins),
    arguments: args.map(toArgument),
  });
}

type CreatedVenues<Made extends Record<string, PendingVenue<string>>> = {
  [Name in keyof Made]: Venue<keyof Made[Name]['coins'] & string>;
};

/** Executes the calls that `build` appends, and finds the shared objects that it declares as created. */
export async function openShared<Made extends Record<string, PendingVenue<string>>>(
  account: Account,
  build: (tx: Transaction) => Made,
): Promise<{ executed: Executed; created: CreatedVenues<Made> }> {
  let made: Made | undefined;
  const executed = await execute(account, (tx) => {
    made = build(tx);
  });
  const entries = Object.entries(made ?? {}).map(([name, { objectType, ...rest }]) => [
    name,
    { ...rest, objectId: findCreatedObject(executed, objectType) },
  ]);
  return { executed, created: Object.fromEntries(entries) as CreatedVenues<Made> };
}
