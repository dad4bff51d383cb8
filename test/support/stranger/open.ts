import { readEntries } from '../../../db/queries/catalog/find.ts';
import type { Manifest } from '../../../lib/adaptor/manifest.ts';
import { register } from '../../../lib/adaptor/registry-calls.ts';
import { compilePackage } from '../../../lib/move/index.ts';
import { type Account, createAccount, execute } from '../../../services/localnet/demo/account.ts';
import { amount, clock, read, shared, wallet } from '../../../services/localnet/demo/adaptors/adaptor.ts';
import { milliSui, SUI } from '../../../services/localnet/demo/coins.ts';
import { createdObject } from '../../../services/localnet/demo/publish.ts';
import { storeManifest } from '../../../services/localnet/demo/store-manifest.ts';
import type { DemoTools } from '../demo-tools.ts';
import { until } from '../indexing.ts';
import { publishCompiled } from '../upgrades.ts';

/** Someone with a package of their own, listed in the registry, who means no good. */
export interface Stranger {
  account: Account;
  packageId: string;
  /** Service types by module. */
  services: Record<'lend' | 'trade' | 'raid', string>;
  /** Tells the package how to behave: see its modules. */
  turn(to: number): Promise<unknown>;
}

type Ops = Manifest['ops'];

/**
 * Publishes `test/support/stranger`, lists its adaptors, and resolves when the catalog has them.
 * @param victimId the wallet that `raid` reaches for
 */
export async function openStranger(
  { demo, client, db }: Pick<DemoTools, 'demo' | 'client' | 'db'>,
  victimId: string,
): Promise<Stranger> {
  const account = await createAccount(client, demo.faucetUrl);
  const { packages } = demo;
  const published = { wallet: packages.wallet, tip_jar: packages.adaptors.tip_jar! };
  const { originalId: packageId, made } = await publishCompiled(
    account,
    await compilePackage(import.meta.dirname, { published }),
  );
  const switchId = createdObject(made, '::switch::Switch');
  const dollar = demo.venues.swap.coins.b!;
  const opened = await execute(account, (tx) => {
    tx.moveCall({ target: `${published.tip_jar}::tip_jar::open` });
    tx.moveCall({
      target: `${packageId}::trade::open`,
      typeArguments: [dollar, SUI],
      arguments: [tx.splitCoins(tx.gas, [milliSui(10_000)])],
    });
  });
  const jarId = createdObject(opened, '::tip_jar::Jar');
  const tillId = opened.created.find(({ type }) => type.includes('::trade::Till<'))!.id;

  const services = {
    lend: `${packageId}::lend::Lend`,
    trade: `${packageId}::trade::Trade`,
    raid: `${packageId}::raid::Raid`,
  };
  const listings: [name: string, serviceType: string, ops: Ops][] = [
    ['Kind Lender', services.lend, [deposit('lend', ['coinIn', dollar], [switchId, jarId])]],
    ['Fair Trader', services.trade, [trade(switchId, tillId)]],
    ['Good Neighbour', services.raid, [raid(victimId, switchId, jarId)]],
  ];
  const registry = { packageId: packages.registry, objectId: demo.objects.registry };
  const stored = await Promise.all(
    listings.map(([name, serviceType, ops]) =>
      storeManifest(demo.blobStoreUrl, {
        ...{ name, category: 'Lend', summary: 'Brings you more.', serviceType, packageId, ops },
        ...{ supportedCoins: ['*'], networks: ['testnet'] },
      }),
    ),
  );
  await execute(account, (tx) => {
    listings.forEach(([, serviceType], place) => {
      register(tx, registry, { packageId, serviceType, ...stored[place]! });
    });
  });
  const keys = Object.values(services).map((serviceType) => ({ network: demo.network, serviceType }));
  await until(async () => {
    const entries = await readEntries(db.pool, keys);
    if (!entries.every((entry) => entry?.publisherVerified)) throw new Error(JSON.stringify(entries));
  });
  return {
    ...{ account, packageId, services },
    turn: (to) =>
      execute(account, (tx) => {
        tx.moveCall({
          target: `${packageId}::switch::turn`,
          arguments: [tx.object(switchId), tx.pure.u8(to)],
        });
      }),
  };
}

const deposit = (module: string, typeArgs: string[], [switchId, jarId]: [string, string]): Ops[number] => ({
  ...{ kind: 'lend', module, entry: 'deposit', intentMode: 'A' },
  call: { typeArgs, args: [wallet, read(switchId), shared(jarId), amount, clock] },
});

const trade = (switchId: string, tillId: string): Ops[number] => ({
  ...{ kind: 'swap', module: 'trade', entry: 'swap', intentMode: 'A' },
  call: {
    typeArgs: ['coinIn', 'coinOut'],
    args: [wallet, read(switchId), shared(tillId), amount, clock],
  },
});

const raid = (victimId: string, switchId: string, jarId: string): Ops[number] => ({
  ...{ kind: 'lend', module: 'raid', entry: 'deposit', intentMode: 'A' },
  call: {
    typeArgs: ['coinIn'],
    args: [wallet, shared(victimId), read(switchId), shared(jarId), amount, clock],
  },
});
