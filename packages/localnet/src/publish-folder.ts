import { type CompiledPackage, compilePackage } from '@adaptor-marketplace/move-toolchain';
import {
  packageName,
  placeholderId,
  readDependencyFolders,
  readPackage,
} from '@adaptor-marketplace/move-toolchain/sources';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { type Account, createAccount, execute } from './account.ts';
import { messageOf } from './internal/errors.ts';
import { upgrade } from './upgrade.ts';

export interface PublishedFolder {
  folder: string;
  /** Of the newest version. */
  packageId: string;
  upgradeCapId: string;
  modules: string[];
}

/** A package on the network, and what its versions were made of. */
interface KnownPackage extends PublishedFolder {
  name: string;
  /** The oldest first. `content` is the digest of the bytecode. */
  versions: { id: string; content: string }[];
}

/** What became of a package whose sources may have changed. */
export type UpgradeOutcome =
  | ({ kind: 'published' | 'upgraded' } & PublishedFolder)
  | { kind: 'refused'; folder: string; reason: string };

/**
 * Compiles packages in their order, so that one that does not compile is known before there is a network.
 *
 * @throws Error with the folder and the compiler's diagnostics.
 */
export async function checkFolders(folders: readonly string[]): Promise<void> {
  const published: Record<string, string> = {};
  for (const folder of folders) {
    for (const { dir, name } of await packagesOf(folder)) {
      await explained(dir, () => compileFolder(dir, published));
      published[name] = placeholderId(name);
    }
  }
}

/** The package in a folder after the local packages that it uses. */
async function packagesOf(folder: string): Promise<{ dir: string; name: string }[]> {
  return explained(folder, async () => {
    const files = await readPackage(folder);
    const dependencies = await readDependencyFolders(files, folder);
    return [...dependencies, [folder, files] as const].map(([dir, read]) => ({
      dir,
      name: packageName(read),
    }));
  });
}

async function compileFolder(
  folder: string,
  published: Record<string, string>,
  linked?: ReadonlyMap<string, string>,
): Promise<CompiledPackage> {
  const compiled = await compilePackage(folder, { published, ...(linked && { linked }) });
  if (compiled.modules.length === 0) throw new Error('The folder sources contains no modules.');
  return compiled;
}

async function explained<Result>(
  folder: string,
  work: () => Promise<Result>,
  what = 'published',
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${folder} was not ${what}.\n${messageOf(error)}`, { cause: error });
  }
}

/** Publishes and upgrades packages on a local network, each after those that it uses. */
export class FolderPublisher {
  readonly #localnet: { rpcUrl: string; faucetUrl: string };
  readonly #recipient: string | undefined;
  /** By the name in their Move.toml. */
  readonly #known = new Map<string, KnownPackage>();
  #account: Account | undefined;

  /** `recipient` gets the UpgradeCaps; without one they stay with the account that publishes. */
  constructor(localnet: { rpcUrl: string; faucetUrl: string }, recipient: string | undefined) {
    this.#localnet = localnet;
    this.#recipient = recipient;
  }

  /** Who publishes: a key made for it. */
  get account(): Account | undefined {
    return this.#account;
  }

  /**
   * Publishes the package in a folder, after those of the local packages that it uses which are not published yet.
   * Answers all that it published, the folder's own last.
   *
   * @throws Error with the folder and the compiler's diagnostics or the chain's reason.
   */
  async publish(folder: string, recipient = this.#recipient): Promise<PublishedFolder[]> {
    const made: PublishedFolder[] = [];
    for (const { dir, name } of await packagesOf(folder)) {
      if (dir === folder || !this.#known.has(name)) made.push(await this.#publish(dir, name, recipient));
    }
    return made;
  }

  /** The folder of a package by the id of any of its versions. */
  folderOf(packageId: string): string | undefined {
    return [...this.#known.values()].find(({ versions }) => versions.some(({ id }) => id === packageId))
      ?.folder;
  }

  /** Publishes the package in the folder `refused` again, then brings those of `folder` that use it to that one. */
  async publishAgain(folder: string, refused: string): Promise<UpgradeOutcome[]> {
    for (const known of this.#known.values()) if (known.folder === refused) this.#known.delete(known.name);
    return this.upgrade(folder);
  }

  /**
   * Brings what is published to what the sources are: of the folder's package and the local ones that it uses, those
   * are upgraded whose bytecode is another one, and those published that are not. A refusal ends it.
   *
   * @throws Error with the folder and the compiler's diagnostics.
   */
  async upgrade(folder: string): Promise<UpgradeOutcome[]> {
    const outcomes: UpgradeOutcome[] = [];
    for (const { dir, name } of await packagesOf(folder)) {
      const known = this.#known.get(name);
      if (!known) {
        outcomes.push({ kind: 'published', ...(await this.#publish(dir, name, this.#recipient)) });
        continue;
      }
      const compiled = await explained(dir, () => this.#compile(dir), 'upgraded');
      if (compiled.digest === known.versions.at(-1)!.content) continue;
      try {
        const packageId = await upgrade(this.#account!, known, compiled);
        known.versions.push({ id: packageId, content: compiled.digest });
        Object.assign(known, { folder: dir, packageId, modules: await this.#modulesOf(packageId) });
        outcomes.push({ kind: 'upgraded', ...known });
      } catch (error) {
        outcomes.push({ kind: 'refused', folder: dir, reason: messageOf(error) });
        break;
      }
    }
    return outcomes;
  }

  /** Forgets the versions that the network does not have, after it went to another state. */
  forgetMissing(exists: (packageId: string) => boolean): void {
    for (const [name, known] of this.#known) {
      known.versions = known.versions.filter(({ id }) => exists(id));
      const newest = known.versions.at(-1);
      if (newest) known.packageId = newest.id;
      else this.#known.delete(name);
    }
    // It had its coins before it published anything.
    if (this.#known.size === 0) this.#account = undefined;
  }

  #compile(dir: string): Promise<CompiledPackage> {
    const known = [...this.#known.values()];
    return compileFolder(
      dir,
      Object.fromEntries(known.map(({ name, versions }) => [name, versions[0]!.id])),
      new Map(known.map(({ versions, packageId }) => [versions[0]!.id, packageId])),
    );
  }

  async #modulesOf(packageId: string): Promise<string[]> {
    const { response } = await this.#account!.client.movePackageService.getPackage({ packageId });
    return response.package!.modules.map((module) => module.name!);
  }

  #publish(folder: string, name: string, owner: string | undefined): Promise<PublishedFolder> {
    return explained(folder, async () => {
      const { modules, dependencies, digest } = await this.#compile(folder);
      const { rpcUrl, faucetUrl } = this.#localnet;
      const client = new SuiGrpcClient({ network: 'localnet', baseUrl: rpcUrl });
      this.#account ??= await createAccount(client, faucetUrl);
      const recipient = owner ?? this.#account.address;
      const { created } = await execute(this.#account, (tx) => {
        const cap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
        tx.transferObjects([cap], recipient);
      });
      const packageId = created.find(({ type }) => type === 'package')!.id;
      const known: KnownPackage = {
        ...{ folder, name, packageId, modules: await this.#modulesOf(packageId) },
        upgradeCapId: created.find(({ type }) => type.endsWith('::package::UpgradeCap'))!.id,
        versions: [{ id: packageId, content: digest }],
      };
      this.#known.set(name, known);
      return known;
    });
  }
}

/** The folders of a package and of the local ones that it uses. @throws Error when one cannot be read. */
export async function foldersOf(folder: string): Promise<string[]> {
  return (await packagesOf(folder)).map(({ dir }) => dir);
}
