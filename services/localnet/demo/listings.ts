import type { Manifest } from '../../../lib/adaptor/manifest.ts';
import { register, unlist, update } from '../../../lib/adaptor/registry-calls.ts';
import { type Account, execute } from './account.ts';
import { type DemoAdaptor, poolSwap, shareVault, termSavings, tipJar } from './adaptors.ts';
import type { Cast } from './cast.ts';
import type { Core } from './core.ts';
import { type Deployed, publish } from './publish.ts';
import type { Store } from './store-manifest.ts';
import type { Venue } from './venues.ts';

/** A listed adaptor with its manifest, from which it is called. */
export interface Listed extends Deployed {
  manifest: Manifest;
}

/** The adaptors in the catalog, and what their publishers listed that is not there. */
export interface Listings {
  jar: Listed;
  savings: Listed;
  swap: Listed;
  vault: Listed;
  withdrawn: Deployed;
  mismatched: Deployed;
}

/** The shared objects that the adaptors are for. */
export interface Venues {
  jar: Venue;
  savings: Venue;
  pool: Venue;
  vault: Venue;
}

/**
 * Three publishers list six adaptors: one is improved, one taken off, and one has a manifest other than the one its
 * hash names. A squatter lists the jar with a fee of their own.
 */
export async function makeListings(
  { harbour, lagoon, reef, squatter }: Cast,
  core: Core,
  venues: Venues,
  store: Store,
): Promise<Listings> {
  const { registry } = core;
  const jar = describe(tipJar(venues.jar.objectId), venues.jar.packageId);
  const savings = describe(termSavings(venues.savings.objectId), venues.savings.packageId);

  async function deploy(account: Account, adaptor: DemoAdaptor, uses: Record<string, string> = {}) {
    const published = { wallet: core.wallet, ...uses };
    const { packageId } = await publish(account, `adaptors/${adaptor.folder}`, published);
    return describe(adaptor, packageId);
  }

  async function listHarbours() {
    const stored = await Promise.all([store(jar.manifest), store(savings.manifest)]);
    await execute(harbour, (tx) => {
      register(tx, registry, { ...jar, ...stored[0] });
      register(tx, registry, { ...savings, ...stored[1] });
    });
    const fee = { feeBps: 500, feeRecipient: squatter.address };
    const squatted = await store({ ...jar.manifest, ...fee });
    await execute(squatter, (tx) => register(tx, registry, { ...jar, ...squatted }));
  }

  async function listLagoons() {
    const adaptor = poolSwap(venues.pool.objectId, core);
    const swap = await deploy(lagoon, adaptor, { pool: venues.pool.packageId });
    const stored = await store(swap.manifest);
    await execute(lagoon, (tx) => register(tx, registry, { ...swap, ...stored }));
    return swap;
  }

  async function listReefs() {
    const uses = { vault: venues.vault.packageId };
    const adaptor = shareVault(venues.vault.objectId, core);
    const vault = await deploy(reef, adaptor, uses);
    const withdrawn = await deploy(reef, named(tipJar(venues.jar.objectId), 'Reef Tips'));
    const mismatched = await deploy(reef, named(adaptor, 'Old Reef Vault'), uses);
    const better = { ...vault.manifest, summary: `${vault.manifest.summary} Withdraw at any time.` };
    const [first, tips, old, dearer, second] = await Promise.all([
      store(vault.manifest),
      store(withdrawn.manifest),
      store(mismatched.manifest),
      store({ ...mismatched.manifest, feeBps: 9_000 }),
      store(better),
    ]);
    await execute(reef, (tx) => {
      register(tx, registry, { ...vault, ...first });
      register(tx, registry, { ...withdrawn, ...tips });
      register(tx, registry, { ...mismatched, ...dearer, manifestHash: old.manifestHash });
    });
    await execute(reef, (tx) => {
      unlist(tx, registry, withdrawn.serviceType);
      update(tx, registry, { ...vault, ...second });
    });
    return { vault: { ...vault, manifest: better }, withdrawn, mismatched };
  }

  const [swap, reefs] = await Promise.all([listLagoons(), listReefs(), listHarbours()]);
  return { jar, savings, swap, ...reefs };
}

function describe({ module, witness, manifest }: DemoAdaptor, packageId: string): Listed {
  const serviceType = `${packageId}::${module}::${witness}`;
  return { packageId, serviceType, manifest: { ...manifest, packageId, serviceType } };
}

const named = (adaptor: DemoAdaptor, name: string): DemoAdaptor => ({
  ...adaptor,
  manifest: { ...adaptor.manifest, name },
});
