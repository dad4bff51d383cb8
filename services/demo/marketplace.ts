import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { executorKeys } from '../../lib/credentials/token.ts';
import type { Logger } from '../../lib/log/index.ts';
import { registerAgents } from './agents.ts';
import { assembleCast } from './cast.ts';
import { milliSui } from './coins.ts';
import { compilePackages } from './compile-packages.ts';
import { publishCore } from './core.ts';
import { deployAdaptors, type Publisher } from './deploy-adaptors.ts';
import type { DemoFile } from './file.ts';
import { issueCoins } from './issue-coins.ts';
import { makeListings } from './listings.ts';
import { publishProtocols } from './protocols/publish-all.ts';
import { addYield } from './protocols/vault.ts';
import { reviewAdaptors } from './reviews.ts';
import { listRules } from './rules.ts';
import { fillSlots } from './slots.ts';
import { storeManifest } from './store-manifest.ts';
import { tellStory } from './story.ts';
import { openVenues } from './venues.ts';

/** Where the local network's parts are reached. */
export interface DemoUrls {
  rpcUrl: string;
  faucetUrl: string;
  blobStoreUrl: string;
}

/**
 * A small marketplace, every part of it made by signed transactions: four publishers with their adaptors and the
 * protocols behind them, wallets that use them through owners, delegates and caps, rules, agents, hired work and
 * reviews.
 */
export async function makeMarketplace(urls: DemoUrls, log: Logger): Promise<Omit<DemoFile, keyof DemoUrls>> {
  const started = performance.now();
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: urls.rpcUrl });
  const store = (manifest: unknown) => storeManifest(urls.blobStoreUrl, manifest);
  const [cast] = await Promise.all([assembleCast(client, urls.faucetUrl), compilePackages()]);
  const { operator, keeper, owner, agent, provider } = cast;

  const [core, coins, protocols] = await Promise.all([
    publishCore(operator),
    issueCoins(keeper),
    publishProtocols(keeper),
  ]);
  const venues = await openVenues(keeper, protocols, coins);
  const packages = { ...protocols, wallet: core.wallet };
  const { adaptors, own } = await deployAdaptors(cast, packages, venues);
  const [outcasts] = await Promise.all([
    makeListings(cast, core, adaptors, { vaultPackage: venues.vault.packageId, store }),
    listRules(cast, core, store),
    registerAgents(cast, core),
  ]);
  const story = await tellStory(cast, { core, coins, adaptors });
  await Promise.all([
    execute(keeper, (tx) => addYield(tx, venues.vault, tx.splitCoins(tx.gas, [milliSui(500)]))),
    reviewAdaptors(cast, core.registry, adaptors),
  ]);
  log.info({ ms: Math.round(performance.now() - started) }, 'made the demo marketplace');

  const listed = Object.values(adaptors);
  const publisher = (name: Publisher, ...outcast: { serviceType: string }[]) => ({
    ...{ name, ...keysOf(cast[name]) },
    serviceTypes: [...listed.filter(({ manifest }) => manifest.integrator === name), ...outcast].map(
      ({ serviceType }) => serviceType,
    ),
  });
  const adaptorPackages = listed.map(({ packageId, manifest }) => [manifest.ops[0]!.module, packageId]);
  return {
    network: 'testnet',
    baseUrl: null,
    owner: { ...keysOf(owner), walletId: story.wallet.walletId },
    agent: { ...keysOf(story.managed), executorKey: executorKeys.make() },
    host: keysOf(cast.host),
    treasurer: keysOf(agent),
    provider: keysOf(provider),
    jobId: story.jobs.funded.jobId,
    publishers: [
      publisher('harbour'),
      publisher('lagoon'),
      publisher('reef', outcasts.withdrawn, outcasts.mismatched),
      publisher('anchor'),
    ],
    packages: {
      registry: core.registry.packageId,
      wallet: core.wallet,
      rules: core.rules.packageId,
      agents: core.agents.packageId,
      escrow: core.escrow,
      protocols: { ...protocols, coins: coins.packageId },
      adaptors: Object.fromEntries(adaptorPackages),
    },
    objects: {
      registry: core.registry.objectId,
      rules: core.rules.objectId,
      agents: core.agents.objectId,
      pool: venues.pool.objectId,
      vault: venues.vault.objectId,
      jar: own.jar.objectId,
      savings: own.savings.objectId,
      allowlist: story.allowlist,
    },
    venues: fillSlots(adaptors, venues),
  };
}

const keysOf = ({ address, keypair }: Pick<Account, 'address' | 'keypair'>) => ({
  address,
  secretKey: keypair.getSecretKey(),
});
