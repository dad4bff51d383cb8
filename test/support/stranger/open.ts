import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { register, update } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { publishCompiled } from '@adaptor-marketplace/localnet/testing/upgrade';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { type Stored, storeManifest } from '../../../services/demo/listings.ts';
import {
  amount,
  clock,
  createdObject,
  milliSui,
  read,
  SUI,
  shared,
  wallet,
} from '../../../services/demo/publish.ts';
import type { DemoTools } from '../demo-tools.ts';
import { eventually } from '../eventually.ts';

/** Someone with a package of their own, listed in the registry, who means no good. */
export interface Stranger {
  account: Account;
  packageId: string;
  /** Service types by module. */
  services: Record<'lend' | 'trade' | 'raid', string>;
  /** Tells the package how to behave: see its modules. */
  turn(to: number): Promise<unknown>;
  /** Updates the listing of `raid`, with another object in the place of the wallet that it wants. */
  reachFor(objectId: string): Promise<void>;
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
  const store = (name: string, serviceType: string, ops: Ops) =>
    storeManifest(demo.blobStoreUrl, {
      ...{ name, category: 'Lend', summary: 'Brings you more.', serviceType, packageId, ops },
      ...{ supportedCoins: ['*'], networks: ['testnet'] },
    });
  const storeRaid = (objectId: string) =>
    store('Good Neighbour', services.raid, [raid(objectId, switchId, jarId)]);
  const registry = { packageId: packages.registry, objectId: demo.objects.registry };
  const stored = {
    lend: await store('Kind Lender', services.lend, [lend(dollar, switchId, jarId)]),
    trade: await store('Fair Trader', services.trade, [trade(switchId, tillId)]),
    raid: await storeRaid(victimId),
  };
  const modules = ['lend', 'trade', 'raid'] as const;
  await execute(account, (tx) => {
    for (const module of modules) {
      register(tx, registry, { packageId, serviceType: services[module], ...stored[module] });
    }
  });
  const listed = (module: keyof typeof services, { manifestHash }: Stored) =>
    eventually(async () => {
      const [entry] = await readEntries(db.pool, [{ network: demo.network, serviceType: services[module] }]);
      const { publisherVerified, manifestHash: shown } = entry ?? {};
      if (!publisherVerified || shown !== manifestHash) throw new Error(`not listed yet: ${module}`);
    });
  await Promise.all(modules.map((module) => listed(module, stored[module])));
  return {
    ...{ account, packageId, services },
    turn: (to) =>
      execute(account, (tx) => {
        tx.moveCall({
          target: `${packageId}::switch::turn`,
          arguments: [tx.object(switchId), tx.pure.u8(to)],
        });
      }),
    async reachFor(objectId) {
      const manifest = await storeRaid(objectId);
      await execute(account, (tx) => {
        update(tx, registry, { packageId, serviceType: services.raid, ...manifest });
      });
      await listed('raid', manifest);
    },
  };
}

const lend = (dollar: string, switchId: string, jarId: string): Ops[number] => ({
  ...{ kind: 'lend', module: 'lend', entry: 'deposit', intentMode: 'A' },
  call: { typeArgs: ['coinIn', dollar], args: [wallet, read(switchId), shared(jarId), amount, clock] },
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
