import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { type CompiledPackage, compileSources, type PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { createTesterClient } from './tester-client.ts';

/** A network with an account that publishes. */
interface UpgradeNetwork {
  localnet: Localnet;
  client: ChainClient;
  publisher: Account;
  close(): Promise<void>;
}

/** A network of its own. It makes a checkpoint only when a test requests one. */
export async function startUpgradeNetwork(): Promise<UpgradeNetwork> {
  await using starting = new AsyncDisposableStack();
  const localnet = await startTestLocalnet();
  starting.defer(() => localnet.close());
  const client = createTesterClient(localnet.rpcUrl);
  starting.defer(() => client.close());
  const publisher = await createAccount(client, localnet.faucetUrl);
  const running = starting.move();
  return { localnet, client, publisher, close: () => running.disposeAsync() };
}

/**
 * Compiles `move/<path>` with text appended to some modules, by file name, as a later version could be.
 * @param published ids of its dependencies
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
