import { type CompiledPackage, compilePackage } from '@adaptor-marketplace/move-toolchain';
import { packageName, placeholderId, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { type Account, createAccount, execute } from '../account.ts';
import { messageOf } from '../internal/errors.ts';
import type { Localnet } from '../start.ts';

interface PublishedFolder {
  folder: string;
  packageId: string;
  upgradeCapId: string;
  modules: string[];
}

/**
 * Compiles packages in their order, so that one that does not compile is known before there is a network.
 *
 * @throws Error with the folder and the compiler's diagnostics.
 */
export async function checkFolders(folders: readonly string[]): Promise<void> {
  const published: Record<string, string> = {};
  for (const folder of folders) {
    await explained(folder, async () => {
      const name = packageName(await readPackage(folder));
      await compileFolder(folder, published);
      published[name] = placeholderId(name);
    });
  }
}

async function compileFolder(folder: string, published: Record<string, string>): Promise<CompiledPackage> {
  const compiled = await compilePackage(folder, { published });
  if (compiled.modules.length === 0) throw new Error('The folder sources contains no modules.');
  return compiled;
}

async function explained<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${folder} was not published.\n${messageOf(error)}`, { cause: error });
  }
}

/** Publishes packages on a local network in their order, so that later ones may use earlier ones. */
export class FolderPublisher {
  readonly #localnet: Localnet;
  readonly #recipient: string | undefined;
  readonly #published: Record<string, string> = {};
  #account: Account | undefined;

  /** `recipient` gets the UpgradeCaps; without one they stay with the account that publishes. */
  constructor(localnet: Localnet, recipient: string | undefined) {
    this.#localnet = localnet;
    this.#recipient = recipient;
  }

  /** Who publishes: a key made for it. */
  get account(): Account | undefined {
    return this.#account;
  }

  /** @throws Error with the folder and the compiler's diagnostics or the chain's reason. */
  publish(folder: string): Promise<PublishedFolder> {
    return explained(folder, () => this.#publish(folder));
  }

  async #publish(folder: string): Promise<PublishedFolder> {
    const name = packageName(await readPackage(folder));
    const { modules, dependencies } = await compileFolder(folder, this.#published);
    const { rpcUrl, faucetUrl } = this.#localnet;
    const client = new SuiGrpcClient({ network: 'localnet', baseUrl: rpcUrl });
    this.#account ??= await createAccount(client, faucetUrl);
    const recipient = this.#recipient ?? this.#account.address;
    const { created } = await execute(this.#account, (tx) => {
      const cap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
      tx.transferObjects([cap], recipient);
    });
    const packageId = created.find(({ type }) => type === 'package')!.id;
    this.#published[name] = packageId;
    const { response } = await client.movePackageService.getPackage({ packageId });
    return {
      folder,
      packageId,
      upgradeCapId: created.find(({ type }) => type.endsWith('::package::UpgradeCap'))!.id,
      modules: response.package!.modules.map((module) => module.name!),
    };
  }
}
