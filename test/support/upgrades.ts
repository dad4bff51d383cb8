import { join } from 'node:path';
import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import type { PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { type CompiledPackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { toBase64 } from '@mysten/sui/utils';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { createdObject } from '../../services/demo/publish.ts';

/** A network with an account that publishes. */
export interface UpgradeNetwork {
  localnet: Localnet;
  client: ChainClient;
  publisher: Account;
  close(): Promise<void>;
}

/** A network of its own, which makes checkpoints only when told to. */
export async function startUpgradeNetwork(): Promise<UpgradeNetwork> {
  await using starting = new AsyncDisposableStack();
  const localnet = await startTestLocalnet();
  starting.defer(() => localnet.close());
  const client = createChainClient({ url: localnet.rpcUrl });
  starting.defer(() => client.close());
  const publisher = await createAccount(client, localnet.faucetUrl);
  const running = starting.move();
  return { localnet, client, publisher, close: () => running.disposeAsync() };
}

/** A package on chain whose publisher can upgrade it. */
export interface Upgradable {
  /** Of its first version. */
  originalId: string;
  upgradeCapId: string;
  made: Executed;
}

/** Publishes a compiled package; the account keeps the UpgradeCap. */
export async function publishCompiled(
  account: Account,
  { modules, dependencies }: CompiledPackage,
): Promise<Upgradable> {
  const made = await execute(account, (tx) => {
    const cap = tx.publish({ modules: modules.map((module) => toBase64(module)), dependencies });
    tx.transferObjects([cap], account.address);
  });
  const originalId = made.created.find(({ type }) => type === 'package')!.id;
  return { originalId, upgradeCapId: createdObject(made, '::package::UpgradeCap'), made };
}

/** Upgrades a package whose newest version is `packageId`; answers the new version's id. */
export async function upgrade(
  account: Account,
  { packageId, upgradeCapId }: { packageId: string; upgradeCapId: string },
  { modules, dependencies, digest }: CompiledPackage,
): Promise<string> {
  const compatible = 0;
  const { created } = await execute(account, (tx) => {
    const cap = tx.object(upgradeCapId);
    const ticket = tx.moveCall({
      target: '0x2::package::authorize_upgrade',
      arguments: [cap, tx.pure.u8(compatible), tx.pure.vector('u8', [...Buffer.from(digest, 'hex')])],
    });
    const content = { modules: modules.map((module) => toBase64(module)), dependencies };
    const receipt = tx.upgrade({ ...content, package: packageId, ticket });
    tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [cap, receipt] });
  });
  return created.find(({ type }) => type === 'package')!.id;
}

/**
 * `move/<path>` with text added at the end of some of its modules, by their files' names: what a later version of it
 * may be. `published`: ids of the packages that it uses.
 */
export async function compileExtended(
  path: string,
  additions: Record<string, string>,
  published: Record<string, string> = {},
): Promise<CompiledPackage> {
  const dir = join(moveDir, path);
  const files: PackageFiles = await readPackage(dir);
  for (const [name, addition] of Object.entries(additions)) {
    const file = `sources/${name}.move`;
    if (files[file] === undefined) throw new Error(`move/${path} has no ${file}`);
    files[file] += `\n${addition}\n`;
  }
  return compileSources(files, { base: dir, published, uncached: true });
}
