import { SuiGrpcClient } from '@mysten/sui/grpc';
import { attest, type RegistryIds, register, unlist, update } from '../../../lib/adaptor/registry-calls.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type Account, createAccount, execute } from './account.ts';
import { type DemoAdaptor, poolSwap, shareVault, termSavings, tipJar } from './adaptors.ts';
import type { DemoFile } from './file.ts';
import { createdObject, type Deployed, publish } from './publish.ts';
import { type Stored, storeManifest } from './store-manifest.ts';
import { useAdaptors } from './usage.ts';

/** Where the local network's parts are reached. */
export interface DemoUrls {
  rpcUrl: string;
  faucetUrl: string;
  blobStoreUrl: string;
}

/**
 * A small marketplace, every part of it made by a signed transaction: three publishers with five adaptors, one
 * of them updated and one taken off, users who use and review them, a squatter, and a listing whose manifest
 * is not the one its hash names.
 */
export async function makeMarketplace(urls: DemoUrls, log: Logger): Promise<Omit<DemoFile, keyof DemoUrls>> {
  const started = performance.now();
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: urls.rpcUrl });
  const account = () => createAccount(client, urls.faucetUrl);
  const store = (manifest: unknown) => storeManifest(urls.blobStoreUrl, manifest);

  const operator = await account();
  const published = await publish(operator, 'registry');
  const registry = {
    packageId: published.packageId,
    objectId: createdObject(published, '::registry::Registry'),
  };

  const [harbour, lagoon, reef, squatter, owner] = await Promise.all([1, 2, 3, 4, 5].map(account));
  const [ana, ben, cleo] = await Promise.all([1, 2, 3].map(account));
  if (!harbour || !lagoon || !reef || !squatter || !owner || !ana || !ben || !cleo)
    throw new Error('no accounts');

  const listing = { registry, store };
  const [[jar, savings], swap, [vault, withdrawn, mismatched]] = await Promise.all([
    inTurn([() => list(harbour, tipJar, listing), () => list(harbour, termSavings, listing)]),
    list(lagoon, poolSwap, listing),
    inTurn([
      () => list(reef, shareVault, listing),
      () => list(reef, named(tipJar, 'Reef Tips'), listing),
      () => listMismatched(reef, named(shareVault, 'Old Reef Vault'), listing),
    ]),
  ]);
  await execute(reef, (tx) => unlist(tx, registry, withdrawn.serviceType));
  await improve(reef, shareVault, vault, listing);
  await squat(squatter, tipJar, jar, listing);

  await useAdaptors({ owner: harbour, users: [ana, ben, cleo], jar, savings, vault });
  await Promise.all([
    review(ana, registry, [
      { of: jar, score: 5 },
      { of: vault, score: 4 },
    ]),
    review(ben, registry, [
      { of: jar, score: 3 },
      { of: jar, score: 4 },
      { of: savings, score: 5 },
    ]),
    review(cleo, registry, [
      { of: swap, score: 2 },
      { of: vault, score: 5 },
    ]),
  ]);
  log.info({ ms: Math.round(performance.now() - started) }, 'made the demo marketplace');

  const keys = ({ address, keypair }: Account) => ({ address, secretKey: keypair.getSecretKey() });
  return {
    network: 'testnet',
    baseUrl: null,
    owner: keys(owner),
    publishers: [
      { name: 'harbour', ...keys(harbour), serviceTypes: [jar.serviceType, savings.serviceType] },
      { name: 'lagoon', ...keys(lagoon), serviceTypes: [swap.serviceType] },
      {
        name: 'reef',
        ...keys(reef),
        serviceTypes: [vault, withdrawn, mismatched].map((one) => one.serviceType),
      },
    ],
    packages: { registry: registry.packageId },
    objects: { registry: registry.objectId },
  };
}

interface ListingContext {
  registry: RegistryIds;
  store(manifest: unknown): Promise<Stored>;
}

async function deploy(account: Account, { folder, module, witness }: DemoAdaptor): Promise<Deployed> {
  const { packageId } = await publish(account, folder);
  return { packageId, serviceType: `${packageId}::${module}::${witness}` };
}

/** Publishes the package and lists it under its manifest. */
async function list(account: Account, adaptor: DemoAdaptor, context: ListingContext): Promise<Deployed> {
  const deployed = await deploy(account, adaptor);
  const stored = await context.store({ ...adaptor.manifest, ...deployed });
  await execute(account, (tx) => register(tx, context.registry, { ...deployed, ...stored }));
  return deployed;
}

/** Lists a package under the hash of one manifest and the uri of another. */
async function listMismatched(
  account: Account,
  adaptor: DemoAdaptor,
  context: ListingContext,
): Promise<Deployed> {
  const deployed = await deploy(account, adaptor);
  const { manifestHash } = await context.store({ ...adaptor.manifest, ...deployed });
  const { manifestUri } = await context.store({ ...adaptor.manifest, ...deployed, feeBps: 9_000 });
  await execute(account, (tx) => register(tx, context.registry, { ...deployed, manifestUri, manifestHash }));
  return deployed;
}

/** A second version of a listing: the same package, described better. */
async function improve(account: Account, adaptor: DemoAdaptor, deployed: Deployed, context: ListingContext) {
  const summary = `${adaptor.manifest.summary} Withdraw at any time.`;
  const stored = await context.store({ ...adaptor.manifest, ...deployed, summary });
  await execute(account, (tx) => update(tx, context.registry, { ...deployed, ...stored }));
}

/** A stranger lists somebody else's package, with the fee going to themselves. */
async function squat(stranger: Account, adaptor: DemoAdaptor, deployed: Deployed, context: ListingContext) {
  const fee = { feeBps: 500, feeRecipient: stranger.address };
  const stored = await context.store({ ...adaptor.manifest, ...deployed, ...fee });
  await execute(stranger, (tx) => register(tx, context.registry, { ...deployed, ...stored }));
}

async function review(account: Account, registry: RegistryIds, opinions: { of: Deployed; score: number }[]) {
  for (const { of, score } of opinions) {
    await execute(account, (tx) =>
      attest(tx, registry, { serviceType: of.serviceType, score, commentUri: '' }),
    );
  }
}

const named = (adaptor: DemoAdaptor, name: string): DemoAdaptor => ({
  ...adaptor,
  manifest: { ...adaptor.manifest, name },
});

/** Runs the steps one after the other: transactions of one account would fight over its coins. */
async function inTurn<const Steps extends readonly (() => Promise<Deployed>)[]>(steps: Steps) {
  const results: Deployed[] = [];
  for (const step of steps) results.push(await step());
  return results as { -readonly [K in keyof Steps]: Deployed };
}
