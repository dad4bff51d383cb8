import { appendUpgrade, type CompiledPackage, compilePackage } from '@adaptor-marketplace/move-toolchain';
import {
  packageName,
  placeholderId,
  readDependencyFolders,
  readPackage,
} from '@adaptor-marketplace/move-toolchain/sources';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { type Account, createAccount, type Executed, execute, findExecuted } from './account.ts';
import { messageOf } from './internal/errors.ts';
import {
  type Begun,
  type KnownPackage,
  loadRemembered,
  type PublisherMemory,
  saveRemembered,
} from './publisher-memory.ts';

export interface PublishedFolder {
  folder: string;
  /** Of the newest version. */
  packageId: string;
  upgradeCapId: string;
  modules: string[];
  /** An earlier process published it. */
  continued?: boolean;
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

interface PublisherOptions {
  /** Gets the UpgradeCaps. Default: they stay with the account that publishes. */
  recipient?: string | undefined;
  /** Where `recall` finds what an earlier publisher did. */
  memory?: PublisherMemory;
  /** `upgrade` will be called for what is published. */
  follows?: boolean;
}

/** Publishes and upgrades packages on a local network, each after those that it uses. */
export class FolderPublisher {
  readonly #localnet: { rpcUrl: string; faucetUrl: string };
  readonly #recipient: string | undefined;
  /** By the name in their Move.toml. */
  readonly #known = new Map<string, KnownPackage>();
  #account: Account | undefined;
  readonly #memory: PublisherMemory | undefined;
  readonly #follows: boolean;
  /** Names of packages that an earlier process published and this one has not looked at. */
  readonly #recalled = new Set<string>();

  constructor(localnet: { rpcUrl: string; faucetUrl: string }, options: PublisherOptions = {}) {
    this.#localnet = localnet;
    this.#recipient = options.recipient;
    this.#memory = options.memory;
    this.#follows = options.follows ?? false;
  }

  /** Who publishes: a key made for it. */
  get account(): Account | undefined {
    return this.#account;
  }

  /**
   * Publishes the package in a folder, after those of the local packages that it uses which are not published yet.
   * Answers all that it published, the folder's own last. What was recalled is published again if its sources have
   * changed, unless `upgrade` follows them.
   *
   * @throws Error with the folder and the compiler's diagnostics or the chain's reason.
   */
  async publish(folder: string, recipient = this.#recipient): Promise<PublishedFolder[]> {
    const made: PublishedFolder[] = [];
    for (const { dir, name } of await packagesOf(folder)) {
      const old = this.#recalled.delete(name) ? this.#known.get(name) : undefined;
      if (old && (this.#follows || (await this.#isCurrent(dir, old)))) {
        made.push({ ...old, folder: dir, continued: true });
      } else if (old || dir === folder || !this.#known.has(name)) {
        made.push(await this.#publish(dir, name, recipient));
      }
    }
    return made;
  }

  /** Continues with what the memory has, also with a transaction that was executed and not remembered. */
  async recall(): Promise<void> {
    const remembered = this.#memory && loadRemembered(this.#memory);
    if (!remembered) return;
    const keypair = Ed25519Keypair.fromSecretKey(remembered.secretKey);
    this.#account = { address: keypair.toSuiAddress(), keypair, client: this.#client() };
    for (const known of remembered.packages) this.#known.set(known.name, known);
    const { begun } = remembered;
    const executed = begun && (await findExecuted(this.#account.client, begun.digest));
    if (begun && executed) await this.#add(begun, executed);
    for (const name of this.#known.keys()) this.#recalled.add(name);
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
      const content = compiled.digest;
      if (content === known.versions.at(-1)!.content) continue;
      try {
        const begun = { name, folder: dir, content };
        const { packageId, upgradeCapId: cap } = known;
        const executed = await execute(
          this.#account!,
          (tx) => appendUpgrade(tx, { packageId, cap }, compiled),
          (digest) => this.#remember({ ...begun, digest }),
        );
        outcomes.push({ kind: 'upgraded', ...(await this.#add(begun, executed)) });
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
    this.#recalled.clear();
    this.#remember();
  }

  #compile(dir: string): Promise<CompiledPackage> {
    const known = [...this.#known.values()];
    return compileFolder(
      dir,
      Object.fromEntries(known.map(({ name, versions }) => [name, versions[0]!.id])),
      new Map(known.map(({ versions, packageId }) => [versions[0]!.id, packageId])),
    );
  }

  #client(): SuiGrpcClient {
    return new SuiGrpcClient({ network: 'localnet', baseUrl: this.#localnet.rpcUrl });
  }

  async #isCurrent(dir: string, { versions }: KnownPackage): Promise<boolean> {
    const { digest } = await explained(dir, () => this.#compile(dir));
    return digest === versions.at(-1)!.content;
  }

  /** Before a transaction is sent, and once it is known what came of it: a kill between the two loses nothing. */
  #remember(begun?: Begun): void {
    if (!this.#memory || !this.#account) return;
    const secretKey = this.#account.keypair.getSecretKey();
    const packages = [...this.#known.values()];
    saveRemembered(this.#memory, { secretKey, packages, ...(begun && { begun }) });
  }

  /** Adds what a transaction published; a package that is known has another version then. */
  async #add({ name, folder, content }: Omit<Begun, 'digest'>, { created }: Executed): Promise<KnownPackage> {
    const packageId = created.find(({ type }) => type === 'package')!.id;
    const cap = created.find(({ type }) => type.endsWith('::package::UpgradeCap'));
    const earlier = cap ? undefined : this.#known.get(name);
    const known: KnownPackage = {
      folder,
      name,
      packageId,
      modules: await this.#modulesOf(packageId),
      upgradeCapId: cap?.id ?? earlier!.upgradeCapId,
      versions: [...(earlier?.versions ?? []), { id: packageId, content }],
    };
    this.#known.set(name, known);
    this.#remember();
    return known;
  }

  async #modulesOf(packageId: string): Promise<string[]> {
    const { response } = await this.#account!.client.movePackageService.getPackage({ packageId });
    return response.package!.modules.map((module) => module.name!);
  }

  #publish(folder: string, name: string, owner: string | undefined): Promise<PublishedFolder> {
    return explained(folder, async () => {
      const { modules, dependencies, digest: content } = await this.#compile(folder);
      this.#account ??= await createAccount(this.#client(), this.#localnet.faucetUrl);
      const recipient = owner ?? this.#account.address;
      const begun = { name, folder, content };
      const executed = await execute(
        this.#account,
        (tx) => {
          const cap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
          tx.transferObjects([cap], recipient);
        },
        (sent) => this.#remember({ ...begun, digest: sent }),
      );
      return this.#add(begun, executed);
    });
  }
}

/** The folders of a package and of the local ones that it uses. @throws Error when one cannot be read. */
export async function foldersOf(folder: string): Promise<string[]> {
  return (await packagesOf(folder)).map(({ dir }) => dir);
}
