import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type Manifest, manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import type { DemoFile } from '../../services/demo/file.ts';

/** Services in one package of a publisher. Each has a module with a witness. */
const servicesPerPackage = 6;

/** The chain as its users see it, past every fault: it is reached without the proxy of the roles. */
export interface Market {
  demo: DemoFile;
  client: ChainClient;
  newAccount(): Promise<Account>;
  /** Publishes a package with several services, none of them listed. @returns their types */
  publishServices(account: Account): Promise<{ packageId: string; serviceTypes: string[] }>;
  /** Stores bytes as a blob. @returns its uri */
  storeBlob(bytes: string): Promise<string>;
}

export async function openMarket(demo: DemoFile, client: ChainClient): Promise<Market> {
  const { modules, dependencies } = await compileServices(demo.packages.wallet);
  return {
    demo,
    client,
    newAccount: () => createAccount(client, demo.faucetUrl),
    async publishServices(account) {
      const { created } = await execute(account, (tx) => {
        const cap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
        tx.transferObjects([cap], account.address);
      });
      const packageId = created.find(({ type }) => type === 'package')!.id;
      return { packageId, serviceTypes: services.map((name) => `${packageId}::${name}::Witness`) };
    },
    async storeBlob(bytes) {
      const answer = await fetch(`${demo.blobStoreUrl}/v1/blobs?epochs=5`, { method: 'PUT', body: bytes });
      if (!answer.ok) throw new Error(`the blob store answered ${answer.status}`);
      const { newlyCreated, alreadyCertified } = await answer.json();
      return `walrus://${(newlyCreated?.blobObject ?? alreadyCertified).blobId}`;
    },
  };
}

const services = Array.from({ length: servicesPerPackage }, (_, at) => `service_${at}`);

/** A service that pays from a wallet, out of what its owner granted. */
const writeService = (name: string) => `module services::${name};
use sui::clock::Clock;
use wallet::{intent, wallet::Wallet};
public struct Witness has drop {}
public fun run<T>(wallet: &mut Wallet, amount: u64, recipient: address, clock: &Clock, ctx: &mut TxContext) {
    let request = intent::request_payment<_, T>(Witness {}, amount, recipient);
    let (coin, paid) = intent::validate_and_pay(wallet, request, clock, ctx);
    transfer::public_transfer(coin, recipient);
    let receipt = intent::create_receipt_sig(Witness {}, amount, recipient);
    intent::verify_and_clear(wallet, paid, receipt)
}
`;

async function compileServices(walletPackageId: string) {
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-services-'));
  try {
    await mkdir(join(folder, 'sources'));
    await writeFile(
      join(folder, 'Move.toml'),
      `[package]\nname = "services"\nedition = "2024"\n[dependencies]\nwallet = { local = "${join(moveDir, 'wallet')}" }\n[addresses]\nservices = "0x0"\n`,
    );
    for (const name of services) await writeFile(join(folder, 'sources', `${name}.move`), writeService(name));
    return await compilePackage(folder, { published: { wallet: walletPackageId } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A manifest of a service, and the text that is stored. */
export function writeManifest(serviceType: string, name: string) {
  const [packageId = '', module = ''] = serviceType.split('::');
  const manifest = {
    name,
    category: 'Other',
    summary: 'A service of a simulated publisher.',
    serviceType,
    packageId,
    ops: [{ kind: 'custom', module, entry: 'run', label: 'Run it' }],
  } as unknown as Manifest;
  return { text: JSON.stringify(manifest), hash: manifestHash(manifest) };
}
