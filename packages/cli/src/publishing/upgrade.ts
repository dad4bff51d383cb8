import { listOwnedObjects } from '@adaptor-marketplace/adaptor/chain/owned-objects';
import { readLineage } from '@adaptor-marketplace/adaptor/chain/package-versions';
import type { CompiledPackage } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import type { Transaction } from '@mysten/sui/transactions';
import { Refusal } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';
import type { Session } from '../signing/session.ts';

/** The right to upgrade a package, as an object of the signer's. */
export interface UpgradeCap {
  capId: string;
  /** The newest version of its package, which is upgraded. */
  packageId: string;
  version: bigint;
  /** Which changes it allows: 0 compatible ones, 128 additions, 192 other dependencies. */
  policy: number;
}

const layout = bcs.struct('UpgradeCap', {
  id: bcs.Address,
  package: bcs.Address,
  version: bcs.u64(),
  policy: bcs.u8(),
});

/** Of an address's caps: each is a package of its own. */
const pagesMax = 20;
const timeoutMs = 20_000;
const shownMax = 5;

/**
 * The signer's cap for a package.
 * @param id of the cap, or of any version of the package
 * @throws Refusal that lists the caps that there are
 */
export async function upgradeCapOf({ client, address }: Session, id: string): Promise<UpgradeCap> {
  const type = '0x2::package::UpgradeCap';
  const answer = await listOwnedObjects(client, { owner: address, type, pagesMax, timeoutMs });
  if (answer.status !== 'found') {
    throw new Refusal(`The node does not list the objects of ${address}: ${nodeFailure(answer.reason)}.`);
  }
  const caps = answer.value.contents.map((bytes): UpgradeCap => {
    const { id: capId, package: packageId, version, policy } = layout.parse(bytes);
    return { capId, packageId, version: BigInt(version), policy };
  });
  const own = caps.find(({ capId, packageId }) => capId === id || packageId === id);
  if (own) return own;
  const lineage = await readLineage(client, id);
  const versions = new Set<string>(lineage.status === 'found' ? lineage.value.ids : []);
  const found = caps.find(({ packageId }) => versions.has(packageId));
  if (found) return found;
  const shown = caps.slice(0, shownMax).map(({ capId, packageId }) => `${capId} of package ${packageId}`);
  throw new Refusal(
    [
      `--upgrade: ${address} has no UpgradeCap ${id}, and none of a package ${id}. Its caps:`,
      ...(shown.length > 0 ? shown : ['none']),
      ...(caps.length > shownMax || answer.value.truncated ? ['and more'] : []),
    ].join('\n  '),
  );
}

/** Appends the upgrade of the cap's package to what was compiled. */
export function appendUpgrade(
  tx: Transaction,
  { capId, packageId, policy }: UpgradeCap,
  { modules, dependencies, digest }: CompiledPackage,
): void {
  const cap = tx.object(capId);
  const ticket = tx.moveCall({
    target: '0x2::package::authorize_upgrade',
    arguments: [cap, tx.pure.u8(policy), tx.pure.vector('u8', [...Buffer.from(digest, 'hex')])],
  });
  const content = { modules: modules.map((module) => [...module]), dependencies };
  const receipt = tx.upgrade({ ...content, package: packageId, ticket });
  tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [cap, receipt] });
}
