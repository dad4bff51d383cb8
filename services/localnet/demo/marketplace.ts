import { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Logger } from '../../../lib/log/index.ts';
import type { Account } from './account.ts';
import { registerAgents } from './agents.ts';
import { assembleCast } from './cast.ts';
import { publishCore } from './core.ts';
import type { DemoFile } from './file.ts';
import { makeListings } from './listings.ts';
import { publish } from './publish.ts';
import { reviewAdaptors } from './reviews.ts';
import { listRules } from './rules.ts';
import { storeManifest } from './store-manifest.ts';
import { tellStory } from './story.ts';
import { addYield, openJarAndSavings, openPool, openVault } from './venues.ts';

/** Where the local network's parts are reached. */
export interface DemoUrls {
  rpcUrl: string;
  faucetUrl: string;
  blobStoreUrl: string;
}

/**
 * A small marketplace, every part of it made by signed transactions: three publishers with their adaptors, wallets
 * that use them through owners, delegates and caps, rules, agents, hired work and reviews.
 */
export async function makeMarketplace(urls: DemoUrls, log: Logger): Promise<Omit<DemoFile, keyof DemoUrls>> {
  const started = performance.now();
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: urls.rpcUrl });
  const store = (manifest: unknown) => storeManifest(urls.blobStoreUrl, manifest);
  const cast = await assembleCast(client, urls.faucetUrl);
  const { owner, agent, provider, harbour, lagoon, reef } = cast;

  const [core, poolPackage, vaultPackage] = await Promise.all([
    publishCore(cast),
    publish(lagoon, 'protocols/pool'),
    publish(reef, 'protocols/vault'),
  ]);
  const [pool, vault, { jar, savings }] = await Promise.all([
    openPool(cast, poolPackage.packageId, core),
    openVault(cast, vaultPackage.packageId, core),
    openJarAndSavings(cast, core),
  ]);
  const venues = { pool, vault, jar, savings };
  const [listings] = await Promise.all([
    makeListings(cast, core, venues, store),
    listRules(cast, core, store),
    registerAgents(cast, core),
  ]);
  const story = await tellStory(cast, core, listings);
  await Promise.all([addYield(cast, vault, core), reviewAdaptors(cast, core.registry, listings)]);
  log.info({ ms: Math.round(performance.now() - started) }, 'made the demo marketplace');

  const typesOf = (...listed: { serviceType: string }[]) => listed.map(({ serviceType }) => serviceType);
  return {
    network: 'testnet',
    baseUrl: null,
    owner: { ...keysOf(owner), walletId: story.wallet.walletId },
    agent: { address: agent.address, executorKey: agent.keypair.getSecretKey() },
    provider: keysOf(provider),
    jobId: story.jobs.funded.jobId,
    publishers: [
      { name: 'harbour', ...keysOf(harbour), serviceTypes: typesOf(listings.jar, listings.savings) },
      { name: 'lagoon', ...keysOf(lagoon), serviceTypes: typesOf(listings.swap) },
      {
        ...{ name: 'reef', ...keysOf(reef) },
        serviceTypes: typesOf(listings.vault, listings.withdrawn, listings.mismatched),
      },
    ],
    packages: {
      registry: core.registry.packageId,
      wallet: core.wallet,
      rules: core.rules.packageId,
      agents: core.agents.packageId,
      escrow: core.escrow,
      protocols: { pool: pool.packageId, vault: vault.packageId, coins: core.coins.package },
      adaptors: {
        tip_jar: jar.packageId,
        term_savings: savings.packageId,
        pool_swap: listings.swap.packageId,
        share_vault: listings.vault.packageId,
      },
    },
    objects: {
      registry: core.registry.objectId,
      rules: core.rules.objectId,
      agents: core.agents.objectId,
      pool: pool.objectId,
      vault: vault.objectId,
      jar: jar.objectId,
      savings: savings.objectId,
      allowlist: story.allowlist,
    },
  };
}

const keysOf = ({ address, keypair }: Account) => ({ address, secretKey: keypair.getSecretKey() });
