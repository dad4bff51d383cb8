import { join } from 'node:path';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
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
