import { join } from 'node:path';
import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import type { Account } from '@adaptor-marketplace/localnet/account';
import { compileTogether } from '@adaptor-marketplace/move-toolchain/compile-together';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { accountLending, creditLending, flashLending, marketSupply, stablecoinAccount } from './lending.ts';
import { type DemoAdaptor, type Deployed, publish } from './publish.ts';
import { liquidStaking, shareVault, termSavings, tipJar } from './savings.ts';
import { concentratedLiquidity, perpetualTrading, poolSwap, relaySwap } from './trading.ts';
import { type JarAndSavings, openJarAndSavings, type Venues } from './venues.ts';

/** The folders in `move/protocols` except `coins`, each after those that it depends on. */
const protocolFolders = [
  'oracle',
  'debt',
  'pool',
  'vault',
  'flash_pool',
  'supply_market',
  'liquid_stake',
  'concentrated',
  'credit_pool',
  'money_market',
  'stablecoin',
  'perpetuals',
];

/** Publishes all protocols. @returns package ids by folder, which is also the name that other packages depend on */
export async function publishProtocols(keeper: Account): Promise<Record<string, string>> {
  const published: Record<string, string> = {};
  for (const folder of protocolFolders) {
    published[folder] = (await publish(keeper, `protocols/${folder}`, published)).packageId;
  }
  return published;
}

/** Every adaptor in `move/adaptors`, for these venues. */
export const describeAdaptors = (venues: Venues & JarAndSavings) =>
  ({
    tipJar: tipJar(venues.jar),
    termSavings: termSavings(venues.savings),
    poolSwap: poolSwap(venues.pool),
    relaySwap: relaySwap(venues.pool),
    shareVault: shareVault(venues.vault),
    flashLending: flashLending(venues.flashPool),
    creditLending: creditLending(venues.creditPool),
    accountLending: accountLending(venues.moneyMarket),
    marketSupply: marketSupply(venues.supplyMarket),
    stablecoinAccount: stablecoinAccount(venues.issuer, venues.prices),
    liquidStaking: liquidStaking(venues.stakePool),
    concentratedLiquidity: concentratedLiquidity(venues.concentratedPool),
    perpetualTrading: perpetualTrading(venues.perpetualMarket, venues.prices),
  }) satisfies Record<string, DemoAdaptor>;

export type AdaptorName = keyof ReturnType<typeof describeAdaptors>;

/** An adaptor on chain, with the manifest that says how it is called. */
export interface ListedAdaptor extends Deployed {
  manifest: Manifest;
}

export type Adaptors = Record<AdaptorName, ListedAdaptor>;

/** The folders in `move/adaptors` by publisher, which is also the integrator in their manifests. */
const foldersByPublisher = {
  harbour: ['tip_jar', 'term_savings', 'market_supply'],
  lagoon: ['pool_swap', 'relay_swap', 'concentrated_liquidity', 'perpetual_trading'],
  reef: ['share_vault', 'flash_lending', 'liquid_staking'],
  anchor: ['credit_lending', 'account_lending', 'stablecoin_account'],
};
export type Publisher = keyof typeof foldersByPublisher;

/** Profiles of publishers, by name. None has a domain, which a local network could not prove. */
const profiles: Partial<Record<string, Manifest['profile']>> = {
  reef: {
    name: 'Reef Collective',
    links: [
      { label: 'Website', url: 'https://reef.example' },
      { label: 'Forum', url: 'https://forum.reef.example' },
    ],
  },
};

/**
 * Publishes every adaptor, and opens the venues of the two that are protocols themselves.
 * @param packages ids of the published protocols, by name
 */
export async function deployAdaptors(
  publishers: Record<Publisher, Account>,
  packages: Record<string, string>,
  venues: Venues,
): Promise<{ adaptors: Adaptors; own: JarAndSavings }> {
  const published = new Map<string, string>();
  const publishAll = async (publisher: Publisher) => {
    for (const folder of foldersByPublisher[publisher]) {
      const { packageId } = await publish(publishers[publisher], `adaptors/${folder}`, packages);
      published.set(folder, packageId);
    }
  };
  await Promise.all((Object.keys(foldersByPublisher) as Publisher[]).map(publishAll));
  const own = await openJarAndSavings(publishers.harbour, {
    jar: published.get('tip_jar')!,
    savings: published.get('term_savings')!,
  });
  const described = Object.entries(describeAdaptors({ ...venues, ...own }));
  const adaptors = described.map(([name, one]) => [name, toListed(one, published.get(one.folder)!)]);
  return { adaptors: Object.fromEntries(adaptors) as Adaptors, own };
}

function toListed({ folder, witness, manifest }: DemoAdaptor, packageId: string): ListedAdaptor {
  const serviceType = `${packageId}::${folder}::${witness}`;
  const profile = profiles[manifest.integrator ?? ''];
  const complete = { ...manifest, packageId, serviceType, ...(profile && { profile }) };
  return { packageId, serviceType, manifest: complete };
}

const publishedFolders = [
  'wallet',
  'registry',
  'rules',
  'agents',
  'escrow',
  'attestations',
  'auditor',
  'protocols/coins',
  ...protocolFolders.map((folder) => `protocols/${folder}`),
  ...Object.values(foldersByPublisher).flatMap((names) => names.map((name) => `adaptors/${name}`)),
];

/** Compiles all packages that the demo publishes, unless they are compiled already. */
export async function compilePackages(): Promise<void> {
  await compileTogether(publishedFolders.map((folder) => join(moveDir, folder)));
}
