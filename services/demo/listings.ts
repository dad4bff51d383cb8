import { register, unlist, update } from '@adaptor-marketplace/adaptor/registry-calls';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Cast } from './cast.ts';
import type { Core } from './core.ts';
import type { Adaptors, Listed } from './deploy-adaptors.ts';
import { type Deployed, publish } from './publish.ts';
import type { Store } from './store-manifest.ts';

/** What is listed and not in the catalog. */
export interface Outcasts {
  withdrawn: Deployed;
  mismatched: Deployed;
}

/**
 * Four publishers list the adaptors and two more: one is improved, one taken off, and one has a manifest other than the
 * one its hash names. A squatter lists the jar with a fee of their own.
 */
export async function makeListings(
  { harbour, lagoon, reef, anchor, squatter }: Cast,
  { registry, wallet }: Core,
  adaptors: Adaptors,
  { vaultPackage, store }: { vaultPackage: string; store: Store },
): Promise<Outcasts> {
  async function list(publisher: Account, ...listed: Listed[]) {
    const stored = await Promise.all(listed.map(({ manifest }) => store(manifest)));
    await execute(publisher, (tx) => {
      for (const [index, one] of listed.entries()) register(tx, registry, { ...one, ...stored[index]! });
    });
  }

  async function squat({ manifest, ...jar }: Listed) {
    const stored = await store({ ...manifest, feeBps: 500, feeRecipient: squatter.address });
    await execute(squatter, (tx) => register(tx, registry, { ...jar, ...stored }));
  }

  /** Another package of an adaptor, under another name. */
  async function copy(of: Listed, folder: string, name: string): Promise<Listed> {
    const { packageId } = await publish(reef, `adaptors/${folder}`, { wallet, vault: vaultPackage });
    const serviceType = of.serviceType.replace(of.packageId, packageId);
    return { packageId, serviceType, manifest: { ...of.manifest, name, packageId, serviceType } };
  }

  async function listReefs(): Promise<Outcasts> {
    const { shareVault, flashLending, liquidStaking, tipJar } = adaptors;
    const [withdrawn, mismatched] = await Promise.all([
      copy(tipJar, 'tip_jar', 'Reef Tips'),
      copy(shareVault, 'share_vault', 'Old Reef Vault'),
    ]);
    const draft = { ...shareVault, manifest: { ...shareVault.manifest, summary: 'A vault.' } };
    await list(reef, draft, withdrawn, flashLending, liquidStaking);
    const [old, dearer, final] = await Promise.all([
      store(mismatched.manifest),
      store({ ...mismatched.manifest, feeBps: 9_000 }),
      store(shareVault.manifest),
    ]);
    await execute(reef, (tx) => {
      register(tx, registry, { ...mismatched, ...dearer, manifestHash: old.manifestHash });
      unlist(tx, registry, withdrawn.serviceType);
      update(tx, registry, { ...shareVault, ...final });
    });
    return { withdrawn, mismatched };
  }

  const { tipJar, termSavings, marketSupply } = adaptors;
  const [outcasts] = await Promise.all([
    listReefs(),
    list(harbour, tipJar, termSavings, marketSupply),
    list(lagoon, adaptors.poolSwap, adaptors.concentratedLiquidity, adaptors.perpetualTrading),
    list(anchor, adaptors.creditLending, adaptors.accountLending, adaptors.stablecoinAccount),
    squat(tipJar),
  ]);
  return outcasts;
}
