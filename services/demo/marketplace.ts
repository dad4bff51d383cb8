import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { executorKeys } from '../../lib/credentials/token.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { During } from '../../lib/log/phases.ts';
import { auditAdaptors } from './audits.ts';
import { assembleCast, registerAgents } from './cast.ts';
import {
  type Adaptors,
  compilePackages,
  deployAdaptors,
  type ListedAdaptor,
  type Publisher,
  publishProtocols,
} from './deploy.ts';
import type { DemoFile } from './file.ts';
import { deprecateRelay, listRules, makeListings, reviewAdaptors, storeManifest } from './listings.ts';
import type { PastClock } from './past.ts';
import { callProtocol, issueCoins, milliSui, publishCore } from './publish.ts';
import { tellStory } from './story.ts';
import { openVenues, type Venues } from './venues.ts';

interface DemoUrls {
  rpcUrl: string;
  faucetUrl: string;
  blobStoreUrl: string;
}

/** Content of `demo.json` that does not change when the network starts again. */
export type DemoMarketplace = Omit<DemoFile, keyof DemoUrls>;

/**
 * Makes a small marketplace by signed transactions. The first are as far in the past as the clock. It has publishers
 * with their adaptors and protocols, wallets that use them through owners, delegates and caps, rules, agents, hired
 * work and reviews.
 */
export async function makeMarketplace(
  urls: DemoUrls,
  { log, during, clock }: { log: Logger; during: During; clock: PastClock },
): Promise<DemoMarketplace> {
  const started = performance.now();
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: urls.rpcUrl });
  const store = (manifest: unknown) => storeManifest(urls.blobStoreUrl, manifest);
  const [cast] = await during('compiling the contracts', () =>
    Promise.all([assembleCast(client, urls.faucetUrl), compilePackages()]),
  );
  const { operator, keeper, owner, agent, provider } = cast;

  const [core, coins, protocols] = await during('publishing the protocols', () =>
    Promise.all([publishCore(operator), issueCoins(keeper), publishProtocols(keeper)]),
  );
  const venues = await during('opening the markets', () => openVenues(keeper, protocols, coins));
  const packages = { ...protocols, wallet: core.wallet };
  const { adaptors, own } = await during('publishing the adaptors', () =>
    deployAdaptors(cast, packages, venues),
  );
  const [outcasts, auditor] = await during('listing the adaptors', () =>
    Promise.all([
      makeListings(cast, core, adaptors, { vaultPackage: venues.vault.packageId, store }),
      auditAdaptors(keeper, core.attestations, adaptors),
      listRules(cast, core, store),
      registerAgents(cast, core),
    ]),
  );
  const story = await during('using the adaptors from five wallets', () =>
    tellStory(cast, { core, coins, adaptors }, { clock, during }),
  );
  await during('reviewing the adaptors', () =>
    Promise.all([
      execute(keeper, (tx) => {
        const earned = tx.splitCoins(tx.gas, [milliSui(500)]);
        callProtocol(tx, venues.vault, 'vault::add_yield', [venues.vault.objectId, earned]);
      }),
      reviewAdaptors(cast, core.registry, adaptors, urls.blobStoreUrl),
      deprecateRelay(cast, core.registry, adaptors, store),
    ]),
  );
  log.info({ ms: Math.round(performance.now() - started) }, 'made the demo marketplace');

  const listed = Object.values(adaptors);
  const publisher = (name: Publisher, ...outcast: { serviceType: string }[]) => ({
    name,
    ...toKeys(cast[name]),
    serviceTypes: [...listed.filter(({ manifest }) => manifest.integrator === name), ...outcast].map(
      ({ serviceType }) => serviceType,
    ),
  });
  const adaptorPackages = listed.map(({ packageId, manifest }) => [manifest.ops[0]!.module, packageId]);
  return {
    network: 'testnet',
    baseUrl: null,
    owner: { ...toKeys(owner), walletId: story.wallet.walletId },
    agent: { ...toKeys(story.managed), executorKey: executorKeys.make() },
    host: toKeys(cast.host),
    treasurer: toKeys(agent),
    provider: toKeys(provider),
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
      attestations: core.attestations.packageId,
      auditor,
      protocols: { ...protocols, coins: coins.packageId },
      adaptors: Object.fromEntries(adaptorPackages),
    },
    objects: {
      registry: core.registry.objectId,
      rules: core.rules.objectId,
      agents: core.agents.objectId,
      attestations: core.attestations.objectId,
      pool: venues.pool.objectId,
      vault: venues.vault.objectId,
      jar: own.jar.objectId,
      savings: own.savings.objectId,
      allowlist: story.allowlist,
    },
    venues: fillSlots(adaptors, venues),
  };
}

const toKeys = ({ address, keypair }: Pick<Account, 'address' | 'keypair'>) => ({
  address,
  secretKey: keypair.getSecretKey(),
});

/** The adaptors that the agent uses, each at its venue. */
function fillSlots(adaptors: Adaptors, venues: Venues): DemoFile['venues'] {
  const prices = venues.prices.objectId;
  type Roles = Record<string, string>;
  const fill = ({ serviceType }: ListedAdaptor, coins: Roles, objects: Roles) => {
    return { serviceType, objects, coins };
  };
  const { pool, flashPool, creditPool, moneyMarket, issuer, stakePool, vault } = venues;
  const { concentratedPool, perpetualMarket, supplyMarket } = venues;
  return {
    swap: fill(adaptors.poolSwap, pool.coins, { pool: pool.objectId }),
    lendingA: fill(adaptors.flashLending, flashPool.coins, { pool: flashPool.objectId }),
    lendingB: fill(adaptors.creditLending, creditPool.coins, { pool: creditPool.objectId }),
    lendingC: fill(adaptors.accountLending, moneyMarket.coins, { market: moneyMarket.objectId }),
    stablecoin: fill(adaptors.stablecoinAccount, issuer.coins, { issuer: issuer.objectId, prices }),
    liquidStake: fill(adaptors.liquidStaking, stakePool.coins, { pool: stakePool.objectId }),
    vault: fill(adaptors.shareVault, vault.coins, { vault: vault.objectId }),
    clmm: fill(adaptors.concentratedLiquidity, concentratedPool.coins, { pool: concentratedPool.objectId }),
    perp: fill(adaptors.perpetualTrading, perpetualMarket.coins, {
      market: perpetualMarket.objectId,
      prices,
    }),
    current: fill(adaptors.marketSupply, supplyMarket.coins, { market: supplyMarket.objectId }),
  };
}
