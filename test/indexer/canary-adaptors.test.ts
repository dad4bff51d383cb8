import { wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { Registry } from '@prometheus-io/client';
import { expect, onTestFinished, test } from 'vitest';
import * as tables from '../../db/schema/index.ts';
import { findCreatedObject, mintDollars } from '../../services/demo/publish.ts';
import { suiCoin } from '../../services/indexer/canaries/coins.ts';
import { createCanaryQueue } from '../../services/indexer/canaries/queue.ts';
import { workOn } from '../../services/indexer/queue/testing/work-on.ts';
import { createIndexerMetrics } from '../../services/indexer/reporting/metrics.ts';
import { type AdaptorNetwork, startAdaptorNetwork } from '../support/adaptor-network.ts';
import { useTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { providersFor } from '../support/providers.ts';
import { readModelBuilder } from '../support/read-model.ts';
import { useForFile } from '../support/use-for-file.ts';

const network = 'testnet';
const db = useTestDatabase();
const chain = useForFile(startAdaptorNetwork);
const build = readModelBuilder(db);

/** Creates a wallet with dollars, and stores it as one that used every adaptor with them. */
async function useWithDollars({
  coins,
  keeper,
  client,
  walletPackage,
  adaptors,
  newAccount,
}: AdaptorNetwork) {
  const { dollar } = coins.types;
  const { address: owner, ...account } = await newAccount();
  await execute(keeper, (tx) => tx.transferObjects([mintDollars(tx, coins, 5_000_000n)], owner));
  const { objects } = await client.listOwnedObjects({ owner, type: `0x2::coin::Coin<${dollar}>` });
  const made = await execute({ address: owner, ...account }, (tx) => {
    const wallet = wallets.create(tx, walletPackage);
    wallets.deposit(tx, wallet, { coinType: dollar, coin: objects[0]!.objectId });
    wallets.share(tx, wallet);
  });
  const walletId = findCreatedObject(made, '::wallet::Wallet');
  const created = { createdAt: new Date(), createdCheckpoint: 1, createdTxIndex: 0, createdEventIndex: 0 };
  await db.orm.insert(tables.wallets).values({ network, walletId, owner, identity: walletId, ...created });
  await db.orm.insert(tables.serviceActions).values(
    Object.values(adaptors).map(({ serviceType }, checkpoint) => ({
      network,
      serviceType,
      walletId,
      checkpoint,
      txIndex: 0,
      eventIndex: 0,
      signedBy: 'owner' as const,
      actors: [],
      coins: [dollar],
      taken: ['20000'],
      brought: ['0'],
      timestamp: new Date(),
    })),
  );
}

/** Simulates what is due until the end of the running test. */
function startCanaries(): void {
  const { localnet, walletPackage } = chain;
  const settings = settingsFor(localnet.rpcUrl, { walletPackageId: walletPackage, canaryRate: 900 });
  const providers = providersFor(settings);
  const metrics = createIndexerMetrics(new Registry());
  const stop = new AbortController();
  const queue = createCanaryQueue({ db, settings, metrics, providers }, stop.signal)!;
  onTestFinished(() => {
    queue.close();
    providers.close();
  });
  workOn(db, queue);
}

test('of every adaptor, the operations that need nothing but a coin and no position are up, even if it names a coin that the network lacks', async () => {
  const { adaptors } = chain;
  const absentCoin = `0x${'a'.repeat(64)}::absent::COIN`;
  await db.orm.insert(tables.coins).values({ network, coinType: absentCoin, state: 'absent' });
  for (const { serviceType, manifest } of Object.values(adaptors)) {
    const supportedCoins = [absentCoin, ...(manifest.supportedCoins ?? [])];
    await build.listing({ serviceType, manifest: { ...manifest, supportedCoins } });
  }
  await useWithDollars(chain);
  startCanaries();
  await eventually(async () => {
    const entries = await db.orm.select().from(tables.canaries);
    expect(entries).toHaveLength(Object.keys(adaptors).length);
    expect(entries.filter(({ ranAt }) => ranAt === null)).toEqual([]);
  });
  const ops = await db.orm.select().from(tables.canaryOps);
  const up = ops.filter(({ state }) => state === 'up').map(({ op }) => op);
  expect(up.sort()).toEqual([
    'account_lending::open_account',
    'credit_lending::deposit',
    'flash_lending::deposit',
    'liquid_staking::stake',
    'market_supply::open_position',
    'perpetual_trading::open_account',
    'pool_swap::swap_a_to_b',
    'pool_swap::swap_b_to_a',
    'relay_swap::begin',
    'share_vault::deposit',
    'stablecoin_account::open_account',
    'tip_jar::tip',
  ]);
  expect(ops.filter(({ state }) => state !== 'up' && state !== 'unproven')).toEqual([]);
});

test('an operation is tried with the coins that its objects settle, whatever the manifest and past use name', async () => {
  const { shareVault } = chain.adaptors;
  const others = ['a', 'b', 'c', 'd'].map((name) => `0x${name}::${name}::COIN`);
  const manifest = { ...shareVault.manifest, supportedCoins: others };
  const settled = { index: 0, coinIn: suiCoin, coinOut: chain.coins.types.reefSui };
  const publisher = `0x${'b'.repeat(64)}`;
  await build.listing({ ...shareVault, manifest, publisher });
  const readDeposit = async () => {
    const ops = await db.orm.select().from(tables.canaryOps);
    return ops.find((one) => one.publisher === publisher && one.op === 'share_vault::deposit');
  };
  startCanaries();
  await eventually(async () => expect(await readDeposit()).toMatchObject({ state: 'unproven' }));
  await db.pool.query(
    `update catalog_entries
      set op_coins = jsonb_build_array($1::jsonb || jsonb_build_object('manifestHash', manifest_hash)) where publisher = $2`,
    [JSON.stringify(settled), publisher],
  );
  await db.pool.query('update canaries set next_check_at = now() where publisher = $1', [publisher]);
  await eventually(async () => expect(await readDeposit()).toMatchObject({ state: 'up' }));
});
