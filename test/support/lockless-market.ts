import { join } from 'node:path';
import { register, update } from '@adaptor-marketplace/adaptor/transactions';
import { startLocalnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startBlobStore } from '@adaptor-marketplace/localnet/blobs/server';
import { publishCompiled } from '@adaptor-marketplace/localnet/upgrade';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { readEntries } from '../../db/queries/catalog/find.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { storeManifest } from '../../services/demo/listings.ts';
import {
  amount,
  type Coins,
  clock,
  findCreatedObject,
  issueCoins,
  milliSui,
  publish,
  read,
  SUI,
  shared,
  wallet,
} from '../../services/demo/publish.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { startTools } from '../../services/tools/start.ts';
import { openTestDatabase } from './database.ts';
import { internalSecret } from './demo-tools.ts';
import { eventually } from './eventually.ts';
import { createDataDir } from './service.ts';
import { createTesterClient } from './tester-client.ts';

/** A listed adaptor that swaps dollars for SUI: `test/support/stranger/sources/trade.move`. */
interface Trader {
  serviceType: string;
  publisher: Account;
  /** Sets its behaviour; the module documents the numbers. */
  turn(to: number): Promise<unknown>;
  /** Lists another manifest of the trader, and returns its hash when the catalog shows it. */
  list(summary: string): Promise<string>;
}

/**
 * A marketplace whose wallet package has no module `action`, so that the chain does not hold an action to its bounds.
 */
interface LocklessMarket {
  settings: NetworkSettings;
  db: Database;
  /** URL of the tool service. */
  url: string;
  walletPackage: string;
  coins: Coins;
  /** Publishes wallets and coins. */
  keeper: Account;
  /** The managed key's account. */
  host: Account;
  /** Traders of two publishers. The first one fills the slot. */
  traders: [Trader, Trader];
  close(): Promise<void>;
}

const network = 'testnet';

export async function startLocklessMarket(): Promise<LocklessMarket> {
  await using starting = new AsyncDisposableStack();
  const { dir, remove } = await createDataDir();
  starting.defer(remove);
  const common = { host: '127.0.0.1', port: 0, log: silentLogger };
  const localnet = await startLocalnet({ ...common, dataDir: ':memory:', checkpointIntervalMs: 20 });
  starting.defer(() => localnet.close());
  const blobs = await startBlobStore({ ...common, dir: join(dir, 'blobs') });
  starting.defer(() => blobs.close());
  const client = createTesterClient(localnet.rpcUrl);
  starting.defer(() => client.close());
  const newAccount = () => createAccount(client, localnet.faucetUrl);
  const [keeper, host, ...publishers] = await Promise.all([1, 2, 3, 4].map(newAccount));

  const walletPackage = await publishLockless(keeper!);
  const published = await publish(keeper!, 'registry');
  const registry = {
    packageId: published.packageId,
    objectId: findCreatedObject(published, '::registry::Registry'),
  };
  const coins = await issueCoins(keeper!);
  const db = await openTestDatabase();
  starting.defer(() => db.close());
  const world = { db, registry, blobStoreUrl: blobs.url, walletPackage, dollar: coins.types.dollar };
  const traders = await Promise.all(publishers.map((publisher) => openTrader(publisher, world)));
  const settings: NetworkSettings = {
    network,
    rpcUrl: localnet.rpcUrl,
    walletPackageId: walletPackage,
    aggregatorUrl: blobs.url,
    registryPackageId: registry.packageId,
    registryObjectId: registry.objectId,
    slots: { swap: { serviceType: traders[0]!.serviceType } },
  };
  // The blob store is the network's own.
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  starting.defer(() => outbound.close());
  const indexer = startIndexer({ db, networks: [settings], outbound, log: silentLogger });
  starting.defer(() => indexer.close());
  const tools = await startTools({
    ...common,
    db,
    networks: [settings],
    internalSecret,
    metrics: new Registry(),
  });
  starting.defer(() => tools.close());
  const running = starting.move();
  return {
    settings,
    db,
    url: tools.url,
    walletPackage,
    coins,
    keeper: keeper!,
    host: host!,
    traders: traders as [Trader, Trader],
    close: () => running.disposeAsync(),
  };
}

/** Publishes `move/wallet` without the module that opens locks. No other module needs it. */
async function publishLockless(keeper: Account): Promise<string> {
  const dir = join(moveDir, 'wallet');
  const { 'sources/action.move': _, ...files } = await readPackage(dir);
  return (await publishCompiled(keeper, await compileSources(files, { base: dir }))).originalId;
}

async function openTrader(
  publisher: Account,
  {
    db,
    registry,
    blobStoreUrl,
    walletPackage,
    dollar,
  }: {
    db: Database;
    registry: { packageId: string; objectId: string };
    blobStoreUrl: string;
    walletPackage: string;
    dollar: string;
  },
): Promise<Trader> {
  const base = join(import.meta.dirname, 'stranger');
  const all = await readPackage(base);
  const files = {
    'Move.toml': all['Move.toml']!.replace(/^tip_jar = .*$/m, ''),
    ...Object.fromEntries(
      ['switch', 'trade'].map((name) => [`sources/${name}.move`, all[`sources/${name}.move`]!]),
    ),
  };
  const compiled = await compileSources(files, { base, published: { wallet: walletPackage } });
  const { originalId: packageId, made } = await publishCompiled(publisher, compiled);
  const switchId = findCreatedObject(made, '::switch::Switch');
  const opened = await execute(publisher, (tx) => {
    tx.moveCall({
      target: `${packageId}::trade::open`,
      typeArguments: [dollar, SUI],
      arguments: [tx.splitCoins(tx.gas, [milliSui(1_000)])],
    });
  });
  const tillId = opened.created.find(({ type }) => type.includes('::trade::Till<'))!.id;
  const serviceType = `${packageId}::trade::Trade`;
  const call = {
    typeArgs: ['coinIn', 'coinOut'],
    args: [wallet, read(switchId), shared(tillId), amount, clock],
  };
  let isListed = false;
  return {
    serviceType,
    publisher,
    turn: (to) =>
      execute(publisher, (tx) => {
        tx.moveCall({
          target: `${packageId}::switch::turn`,
          arguments: [tx.object(switchId), tx.pure.u8(to)],
        });
      }),
    async list(summary) {
      const stored = await storeManifest(blobStoreUrl, {
        name: 'Fair Trader',
        category: 'Swap',
        summary,
        serviceType,
        packageId,
        supportedCoins: ['*'],
        networks: [network],
        ops: [{ kind: 'swap', module: 'trade', entry: 'swap', intentMode: 'A', call }],
      });
      const listing = { packageId, serviceType, ...stored };
      await execute(publisher, (tx) => (isListed ? update : register)(tx, registry, listing));
      isListed = true;
      await eventually(async () => {
        const [entry] = await readEntries(db.pool, [{ network, serviceType }]);
        if (!entry?.publisherVerified || entry.manifestHash !== stored.manifestHash) {
          throw new Error(`not listed yet: ${serviceType}`);
        }
      });
      return stored.manifestHash;
    },
  };
}
