import { join } from 'node:path';
import type { RegistryIds, SharedTarget } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import type { Transaction } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import { moveDir } from '../../lib/contracts/move-dir.ts';

export interface Published extends Executed {
  packageId: string;
}

/** A package on chain, and the service type its publisher lists it under. */
export interface Deployed {
  packageId: string;
  serviceType: string;
}

/**
 * Compiles `move/<path>` and publishes it; the account keeps the UpgradeCap. `published`: ids of the packages
 * below `move` that it uses, by their names.
 */
export async function publish(
  account: Account,
  path: string,
  published: Record<string, string> = {},
): Promise<Published> {
  const { modules, dependencies } = await compilePackage(join(moveDir, path), { published });
  const executed = await execute(account, (tx) => {
    const upgradeCap = tx.publish({ modules: modules.map((module) => toBase64(module)), dependencies });
    tx.transferObjects([upgradeCap], account.address);
  });
  const created = executed.created.find((object) => object.type === 'package');
  if (!created) throw new Error(`publishing ${path} made no package`);
  return { ...executed, packageId: created.id };
}

/** The one created object whose type ends in `suffix`. */
export function createdObject(executed: Executed, suffix: string): string {
  const found = executed.created.find((object) => object.type.endsWith(suffix));
  if (!found) throw new Error(`no ${suffix} was created`);
  return found.id;
}

/** The contracts that all wallets and adaptors use. */
export interface Core {
  registry: RegistryIds;
  wallet: string;
  rules: SharedTarget;
  agents: SharedTarget;
  escrow: string;
}

export async function publishCore(operator: Account): Promise<Core> {
  const wallet = (await publish(operator, 'wallet')).packageId;
  const registry = shared(await publish(operator, 'registry'));
  const rules = shared(await publish(operator, 'rules', { wallet }));
  const agents = shared(await publish(operator, 'agents'));
  const escrow = (await publish(operator, 'escrow', { wallet })).packageId;
  return { registry, wallet, rules, agents, escrow };
}

/** A package with a shared registry. */
function shared(published: Published): SharedTarget {
  return { packageId: published.packageId, objectId: createdObject(published, '::registry::Registry') };
}

/** A package, the shared object that an adaptor works on, and the types of its coins by role. */
export interface Venue<Role extends string> {
  packageId: string;
  objectId: string;
  coins: Record<Role, string>;
}

/** What `openVenues` needs to make a venue of what a transaction created. */
export interface Opened<Role extends string> extends Pick<Venue<Role>, 'packageId' | 'coins'> {
  /** Of the shared object. */
  objectType: string;
}

type Created<Made extends Record<string, Opened<string>>> = {
  [Name in keyof Made]: Venue<keyof Made[Name]['coins'] & string>;
};

/** Executes what `build` appends, and finds the shared objects that it says are created. */
export async function openShared<Made extends Record<string, Opened<string>>>(
  account: Account,
  build: (tx: Transaction) => Made,
): Promise<{ executed: Executed; created: Created<Made> }> {
  let made: Made | undefined;
  const executed = await execute(account, (tx) => {
    made = build(tx);
  });
  const entries = Object.entries(made ?? {}).map(([name, { objectType, ...rest }]) => [
    name,
    { ...rest, objectId: createdObject(executed, objectType) },
  ]);
  return { executed, created: Object.fromEntries(entries) as Created<Made> };
}
