import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type Account, createAccount } from '@adaptor-marketplace/localnet/account';
import { publishCompiled } from '@adaptor-marketplace/localnet/upgrade';
import { type CompiledPackage, compilePackage } from '@adaptor-marketplace/move-toolchain';
import { moveDir } from '../../../lib/contracts/move-dir.ts';
import type { DemoFile } from '../../../services/demo/file.ts';

/** Services in one package of a publisher. Each has a module with a witness. */
const servicesPerPackage = 6;

/** A package with several services. */
export interface ServicePackage {
  publisher: string;
  serviceTypes: readonly string[];
  upgradeCapId: string;
  /** The newest version. */
  packageId: string;
  /** All versions. */
  packageIds: string[];
}

/** The chain as its users see it, past every fault: it is reached without the proxy of the roles. */
export interface Market {
  demo: DemoFile;
  client: ChainClient;
  newAccount(): Promise<Account>;
  /** The package of services. Each publisher publishes it. */
  compiled: CompiledPackage;
  /** Publishes the package, whose services are not listed yet. */
  publishServices(account: Account): Promise<ServicePackage>;
  /** Stores bytes as a blob. @returns its uri */
  storeBlob(bytes: string): Promise<string>;
}

export async function openMarket(demo: DemoFile, client: ChainClient): Promise<Market> {
  const compiled = await compileServices(demo.packages.wallet);
  return {
    demo,
    client,
    compiled,
    newAccount: () => createAccount(client, demo.faucetUrl),
    async publishServices(account) {
      const { originalId, upgradeCapId } = await publishCompiled(account, compiled);
      return {
        publisher: account.address,
        serviceTypes: services.map((name) => `${originalId}::${name}::Witness`),
        upgradeCapId,
        packageId: originalId,
        packageIds: [originalId],
      };
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
