import type { Transaction, TransactionObjectInput } from '@mysten/sui/transactions';
import { toBase64 } from '@mysten/sui/utils';
import type { CompiledPackage } from './link.ts';

interface Upgraded {
  /** The package's UpgradeCap. */
  cap: TransactionObjectInput;
  /** The newest version. */
  packageId: string;
  /** Which changes are allowed. Default: 0, compatible ones. */
  policy?: number;
}

/** Appends the commands that upgrade a package to what was compiled. */
export function appendUpgrade(
  tx: Transaction,
  { cap, packageId, policy = 0 }: Upgraded,
  { modules, dependencies, digest }: CompiledPackage,
): void {
  const capability = tx.object(cap);
  const ticket = tx.moveCall({
    target: '0x2::package::authorize_upgrade',
    arguments: [capability, tx.pure.u8(policy), tx.pure.vector('u8', [...Buffer.from(digest, 'hex')])],
  });
  const content = { modules: modules.map((module) => toBase64(module)), dependencies };
  const receipt = tx.upgrade({ ...content, package: packageId, ticket });
  tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [capability, receipt] });
}
