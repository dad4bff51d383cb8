import { appendUpgrade, type CompiledPackage } from '@adaptor-marketplace/move-toolchain';
import { toBase64 } from '@mysten/sui/utils';
import { type Account, type Executed, execute } from './account.ts';

/** A package on chain whose publisher can upgrade it. */
export interface Upgradable {
  /** Of its first version. */
  originalId: string;
  upgradeCapId: string;
  made: Executed;
}

/** Publishes a compiled package; the account keeps the UpgradeCap. */
export async function publishCompiled(
  account: Account,
  { modules, dependencies }: CompiledPackage,
): Promise<Upgradable> {
  const made = await execute(account, (tx) => {
    const cap = tx.publish({ modules: modules.map((module) => toBase64(module)), dependencies });
    tx.transferObjects([cap], account.address);
  });
  const originalId = made.created.find(({ type }) => type === 'package')!.id;
  const upgradeCapId = made.created.find(({ type }) => type.endsWith('::package::UpgradeCap'))!.id;
  return { originalId, upgradeCapId, made };
}

/** Upgrades a package whose newest version is `packageId`; returns the new version's id. */
export async function upgrade(
  account: Account,
  { packageId, upgradeCapId: cap }: { packageId: string; upgradeCapId: string },
  compiled: CompiledPackage,
): Promise<string> {
  const { created } = await execute(account, (tx) => appendUpgrade(tx, { packageId, cap }, compiled));
  return created.find(({ type }) => type === 'package')!.id;
}
