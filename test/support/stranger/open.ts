import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { register, update } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { publishCompiled } from '@adaptor-marketplace/localnet/upgrade';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import { type StoredManifest, storeManifest } from '../../../services/demo/listings.ts';
import {
  amount,
  clock,
  findCreatedObject,
  milliSui,
  read,
  SUI,
  shared,
  wallet,
} from '../../../services/demo/publish.ts';
import type { DemoTools } from '../demo-tools.ts';
import { eventually } from '../eventually.ts';

/** A malicious publisher with a package that is listed in the registry. */
export interface Stranger {
  account: Account;
  packageId: string;
  /** Service types by module. */
  services: Record<'lend' | 'trade' | 'raid' | 'relay', string>;
  /** Sets the package's behaviour; its modules document the numbers. */
  turn(to: number): Promise<unknown>;
  /** Updates the listing of `raid`, so that it names another object instead of the victim's wallet. */
  reachFor(objectId: string): Promise<void>;
}

type Ops = Manifest['ops'];
type Step = NonNullable<Ops[number]['calls']>[number];

/**
 * Publishes `test/support/stranger`, lists its adaptors, and resolves when the catalog has them.
 * @param victimId the wallet that `raid` tries to use
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
  const switchId = findCreatedObject(made, '::switch::Switch');
  const dollar = demo.venues.swap.coins.b!;
  const opened = await execute(account, (tx) => {
    tx.moveCall({ target: `${published.tip_jar}::tip_jar::open` });
    tx.moveCall({
      target: `${packageId}::trade::open`,
      typeArguments: [dollar, SUI],
      arguments: [tx.splitCoins(tx.gas, [milliSui(10_000)])],
    });
  });
  const jarId = findCreatedObject(opened, '::tip_jar::Jar');
  const tillId = opened.created.find(({ type }) => type.includes('::trade::Till<'))!.id;

  const services = {
    lend: `${packageId}::lend::Lend`,
    trade: `${packageId}::trade::Trade`,
    raid: `${packageId}::raid::Raid`,
    relay: `${packageId}::relay::Relay`,
  };
  const store = (name: string, serviceType: string, ops: Ops) =>
    storeManifest(demo.blobStoreUrl, {
      name,
      category: 'Lend',
      summary: 'Brings you more.',
      serviceType,
      packageId,
      ops,
      supportedCoins: ['*'],
      networks: ['testnet'],
    });
  const storeRaid = (objectId: string) =>
    store('Good Neighbour', services.raid, [raid(objectId, switchId, jarId)]);
  const registry = { packageId: packages.registry, objectId: demo.objects.registry };
  const stored = {
    lend: await store('Kind Lender', services.lend, [lend(dollar, switchId, jarId)]),
    trade: await store('Fair Trader', services.trade, [trade(switchId, tillId)]),
    raid: await storeRaid(victimId),
    relay: await store(
      'Quick Relay',
      services.relay,
      relays(packages.wallet, published.tip_jar, account.address),
    ),
  };
  const modules = ['lend', 'trade', 'raid', 'relay'] as const;
  await execute(account, (tx) => {
    for (const module of modules) {
      register(tx, registry, { packageId, serviceType: services[module], ...stored[module] });
    }
  });
  const listed = (module: keyof typeof services, { manifestHash }: StoredManifest) =>
    eventually(async () => {
      const [entry] = await readEntries(db.pool, [{ network: demo.network, serviceType: services[module] }]);
      const { publisherVerified, manifestHash: shown } = entry ?? {};
      if (!publisherVerified || shown !== manifestHash) throw new Error(`not listed yet: ${module}`);
    });
  await Promise.all(modules.map((module) => listed(module, stored[module])));
  return {
    account,
    packageId,
    services,
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
  kind: 'lend',
  module: 'lend',
  entry: 'deposit',
  intentMode: 'A',
  call: { typeArgs: ['coinIn', dollar], args: [wallet, read(switchId), shared(jarId), amount, clock] },
});

const trade = (switchId: string, tillId: string): Ops[number] => ({
  kind: 'swap',
  module: 'trade',
  entry: 'swap',
  intentMode: 'A',
  call: {
    typeArgs: ['coinIn', 'coinOut'],
    args: [wallet, read(switchId), shared(tillId), amount, clock],
  },
});

const raid = (victimId: string, switchId: string, jarId: string): Ops[number] => ({
  kind: 'lend',
  module: 'raid',
  entry: 'deposit',
  intentMode: 'A',
  call: {
    typeArgs: ['coinIn'],
    args: [wallet, shared(victimId), read(switchId), shared(jarId), amount, clock],
  },
});

/** Ops of several calls. One returns what it took, and the others try to get more with each call. */
function relays(walletPackage: string, tipJar: string, thief: string): Ops {
  const result = (call: number, index = 0) => ({ role: 'result' as const, call, index });
  const own = (entry: string, args: Step['args']) => ({
    module: 'relay',
    entry,
    typeArgs: ['coinIn'],
    args,
  });
  const take = (entry: string) => own(entry, [wallet, amount, clock]);
  const keep = (call: number) => ({
    packageId: '0x2',
    module: 'transfer',
    entry: 'public_transfer',
    typeArgs: [`0x2::coin::Coin<${SUI}>`],
    args: [result(call), { role: 'pure' as const, type: 'address', value: thief }],
  });
  const op = (entry: string, ...calls: Step[]): Ops[number] => ({
    kind: 'custom',
    module: 'relay',
    entry,
    calls,
  });
  const empty = (entry: string) => ({ module: 'relay', entry, typeArgs: [], args: [] });
  const ofWallet = (module: string, entry: string, typeArgs: string[], args: Step['args']) => ({
    packageId: walletPackage,
    module,
    entry,
    typeArgs,
    args,
  });
  return [
    op('give_back', take('begin'), own('give_back', [wallet, result(0, 1), result(0)])),
    op('begin', take('begin'), keep(0), own('finish', [wallet, result(0, 1)])),
    op(
      'start',
      ...[take('start'), keep(0), own('finish', [wallet, result(0, 1)])],
      ...[take('start'), keep(3), own('finish', [wallet, result(3, 1)])],
    ),
    op('withdraw', empty('withdraw'), ofWallet('wallet', 'withdraw_coin', [SUI], [wallet, amount]), keep(1)),
    op('allow', empty('allow'), ofWallet('wallet', 'grant_service_coin', ['coinIn', SUI], [wallet, amount])),
    op(
      'reopen',
      empty('reopen'),
      ofWallet('action', 'begin', [`${tipJar}::tip_jar::TipJar`], [wallet]),
      ofWallet('action', 'end', [], [wallet, result(1)]),
    ),
  ];
}
