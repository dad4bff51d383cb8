import { join } from 'node:path';
import { agents, type SharedTarget, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import type { Transaction } from '@mysten/sui/transactions';
import { fromHex } from '@mysten/sui/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { findCreatedObject, type PublishedPackage, publish } from '../../services/demo/publish.ts';
import { useForFile } from '../support/use-for-file.ts';
import { coinType, expectAbort, startWalletPackages } from '../support/wallet-packages.ts';

let owner: Account;
const network = useForFile(startWalletPackages);
beforeAll(() => {
  ({ owner } = network);
});

/** Upgrades a package of `move/` to its sources with some words replaced. Returns the new package. */
async function upgrade(
  path: string,
  of: PublishedPackage,
  words: [from: string, to: string][],
): Promise<string> {
  const files = await readPackage(join(moveDir, path));
  for (const [from, to] of words) {
    const places = Object.entries(files).filter(([, text]) => text.includes(from));
    expect(places.length, from).toBe(1);
    const [[place, text] = ['', '']] = places;
    files[place] = text.replaceAll(from, to);
  }
  const compiled = await compileSources(files, { base: join(moveDir, path), uncached: true });
  const executed = await execute(owner, (tx) => {
    const cap = tx.object(findUpgradeCap(of));
    const ticket = tx.moveCall({
      target: '0x2::package::authorize_upgrade',
      arguments: [cap, tx.pure.u8(0), tx.pure.vector('u8', fromHex(compiled.digest))],
    });
    const modules = compiled.modules.map((module) => [...module]);
    const { dependencies } = compiled;
    const receipt = tx.upgrade({ modules, dependencies, package: of.packageId, ticket });
    tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [cap, receipt] });
  });
  return findCreatedObject(executed, 'package');
}

const findUpgradeCap = (published: PublishedPackage) => findCreatedObject(published, '::package::UpgradeCap');

test('a wallet that its owner migrates is closed to the code before, but for the ways out', async () => {
  const first = await publish(owner, 'wallet');
  const made = await execute(owner, (tx) => {
    const wallet = wallets.create(tx, first.packageId);
    wallets.deposit(tx, wallet, { coinType, coin: tx.splitCoins(tx.gas, [10n]) });
    wallets.share(tx, wallet);
  });
  const wallet = { packageId: first.packageId, wallet: findCreatedObject(made, '::wallet::Wallet') };
  const later = await upgrade('wallet', first, [['const VERSION: u64 = 1;', 'const VERSION: u64 = 2;']]);
  const newest = { ...wallet, packageId: later };
  const grant = { service: `${first.packageId}::cap_auth::CapAuth`, coinType, allowance: 1n };

  await expectAbort('wallet', 23, owner, (tx) => wallets.grantServiceCoin(tx, newest, grant));
  await execute(owner, (tx) => wallets.grantServiceCoin(tx, wallet, grant));
  await execute(owner, (tx) => {
    tx.moveCall({ target: `${later}::wallet::migrate`, arguments: [tx.object(wallet.wallet)] });
  });
  await expectAbort('wallet', 23, owner, (tx) => wallets.grantServiceCoin(tx, wallet, grant));
  await execute(owner, (tx) => wallets.grantServiceCoin(tx, newest, grant));
  await execute(owner, (tx) => wallets.takeCoin(tx, wallet, { coinType, amount: 1n }));
});

describe('a registry', () => {
  let first: PublishedPackage;
  let registry: SharedTarget;
  beforeAll(async () => {
    first = await publish(owner, 'agents');
    const objectId = findCreatedObject(first, '::registry::Registry');
    registry = { packageId: first.packageId, objectId };
  });

  const migrate = (packageId: string, cap: string) => (tx: Transaction) => {
    const target = `${packageId}::registry::migrate`;
    tx.moveCall({ target, arguments: [tx.object(registry.objectId), tx.object(cap)] });
  };
  const profile = { name: 'Ana', description: '', skills: [], cardUrl: null };

  test('is moved to the newest version by the cap of its own package alone', async () => {
    const other = await publish(owner, 'agents');
    await expectAbort('registry', 9, owner, migrate(registry.packageId, findUpgradeCap(other)));
    await expectAbort('registry', 8, owner, migrate(registry.packageId, findUpgradeCap(first)));

    const second = await upgrade('agents', first, [
      ['const VERSION: u64 = 1;', 'const VERSION: u64 = 2;'],
      ['public struct V1 {}', 'public struct V1 {}\n\npublic struct V2 {}'],
      ['with_defining_ids<V1>', 'with_defining_ids<V2>'],
    ]);
    await expectAbort('registry', 9, owner, migrate(second, findUpgradeCap(other)));
    await expectAbort('registry', 9, owner, migrate(registry.packageId, findUpgradeCap(first)));
    await execute(owner, (tx) => agents.register(tx, registry, profile));
    await execute(owner, migrate(second, findUpgradeCap(first)));
    await expectAbort('registry', 7, owner, (tx) => agents.update(tx, registry, profile));
    await execute(owner, (tx) => agents.update(tx, { ...registry, packageId: second }, profile));
  });
});
