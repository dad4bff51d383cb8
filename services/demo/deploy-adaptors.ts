import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import type { Account } from '@adaptor-marketplace/localnet/account';
import type { DemoAdaptor } from './adaptors/adaptor.ts';
import { type AdaptorName, describeAdaptors } from './adaptors/all.ts';
import { type JarAndSavings, openJarAndSavings } from './jar-and-savings.ts';
import { type Deployed, publish } from './publish.ts';
import type { Venues } from './venues.ts';

/** An adaptor on chain with its manifest, by which it is called. */
export interface Listed extends Deployed {
  manifest: Manifest;
}

export type Adaptors = Record<AdaptorName, Listed>;

/** The folders in `move/adaptors` by who publishes them and is their integrator. */
export const foldersOf = {
  harbour: ['tip_jar', 'term_savings', 'market_supply'],
  lagoon: ['pool_swap', 'concentrated_liquidity', 'perpetual_trading'],
  reef: ['share_vault', 'flash_lending', 'liquid_staking'],
  anchor: ['credit_lending', 'account_lending', 'stablecoin_account'],
};
export type Publisher = keyof typeof foldersOf;

/**
 * Publishes every adaptor, and opens what two of them keep themselves. `packages`: the wallet's and the protocols', by
 * name.
 */
export async function deployAdaptors(
  publishers: Record<Publisher, Account>,
  packages: Record<string, string>,
  venues: Venues,
): Promise<{ adaptors: Adaptors; own: JarAndSavings }> {
  const published = new Map<string, string>();
  const publishAll = async (publisher: Publisher) => {
    for (const folder of foldersOf[publisher]) {
      const { packageId } = await publish(publishers[publisher], `adaptors/${folder}`, packages);
      published.set(folder, packageId);
    }
  };
  await Promise.all((Object.keys(foldersOf) as Publisher[]).map(publishAll));
  const own = await openJarAndSavings(publishers.harbour, {
    jar: published.get('tip_jar')!,
    savings: published.get('term_savings')!,
  });
  const described = Object.entries(describeAdaptors({ ...venues, ...own }));
  const adaptors = described.map(([name, one]) => [name, at(one, published.get(one.folder)!)]);
  return { adaptors: Object.fromEntries(adaptors) as Adaptors, own };
}

function at({ folder, witness, manifest }: DemoAdaptor, packageId: string): Listed {
  const serviceType = `${packageId}::${folder}::${witness}`;
  return { packageId, serviceType, manifest: { ...manifest, packageId, serviceType } };
}
