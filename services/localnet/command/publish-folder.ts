import { SuiGrpcClient } from '@mysten/sui/grpc';
import { compilePackage } from '../../../lib/move/index.ts';
import { packageName, readPackage } from '../../../lib/move/sources.ts';
import { type Account, createAccount, execute } from '../demo/account.ts';
import type { Localnet } from '../start.ts';

export interface PublishedFolder {
  folder: string;
  packageId: string;
  upgradeCapId: string;
  modules: string[];
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

  /** @throws MoveCompileError with the compiler's diagnostics, Error with the chain's reason. */
  async publish(folder: string): Promise<PublishedFolder> {
    const name = packageName(await readPackage(folder));
    const { modules, dependencies } = await compilePackage(folder, { published: this.#published });
    if (modules.length === 0) throw new Error('Its folder sources has no modules.');
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
