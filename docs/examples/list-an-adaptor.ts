/**
 * Publishes a package and lists it in the registry of the running local network, with a new key. Anyone can do this:
 * the service itself signs nothing.
 *
 *     npm start                                  # in one terminal
 *     npm run example  # in another
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { register } from '@adaptor-marketplace/adaptor/transactions';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { environment } from '../../lib/config/index.ts';

const demo = await runningService(join(environment().DATA_DIR || '.data', 'demo.json'));
const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });

// 1. A new key, with coins from the faucet.
const key = new Ed25519Keypair();
const address = key.toSuiAddress();
await requestSuiFromFaucetV2({ host: demo.faucetUrl, recipient: address });
console.log(`publisher  ${address}`);

async function execute(build: (tx: Transaction) => void) {
  const transaction = new Transaction();
  transaction.setSender(address);
  build(transaction);
  const include = { effects: true, objectTypes: true } as const;
  const result = await client.signAndExecuteTransaction({ transaction, signer: key, include });
  if (!result.Transaction) throw new Error(JSON.stringify(result.FailedTransaction.status.error));
  await client.waitForTransaction({ digest: result.Transaction.digest });
  return result.Transaction;
}

// 2. The package, compiled here and published.
const { modules, dependencies } = await compilePackage(join(import.meta.dirname, 'hello_adaptor'));
const published = await execute((tx) => {
  const upgradeCap = tx.publish({ modules: modules.map((module) => [...module]), dependencies });
  tx.transferObjects([upgradeCap], address);
});
const packageId = published.effects.changedObjects.find((o) => o.outputState === 'PackageWrite')?.objectId;
if (!packageId) throw new Error('publishing made no package');
const guestBookType = `${packageId}::greeter::GuestBook`;
const guestBook = Object.keys(published.objectTypes).find(
  (id) => published.objectTypes[id] === guestBookType,
);
if (!guestBook) throw new Error('publishing shared no guest book');
console.log(`package    ${packageId}`);

// 3. The manifest, stored as a blob. The chain stores its hash.
const serviceType = `${packageId}::greeter::Greeter`;
const manifest = {
  name: 'Hello',
  category: 'Other',
  summary: 'A guest book that anyone can sign.',
  serviceType,
  packageId,
  ops: [
    {
      kind: 'custom',
      module: 'greeter',
      entry: 'greet',
      label: 'Sign the guest book',
      call: {
        typeArgs: [],
        args: [
          { role: 'object', objectId: guestBook, mutable: true },
          { role: 'pure', type: '0x1::string::String', name: 'name' },
        ],
      },
    },
  ],
};
const stored = await fetch(`${demo.blobStoreUrl}/v1/blobs?epochs=5`, {
  method: 'PUT',
  body: JSON.stringify(manifest),
});
const answer = await stored.json();
const blobId = (answer.newlyCreated?.blobObject ?? answer.alreadyCertified).blobId;
console.log(`manifest   walrus://${blobId}`);

// 4. The listing, signed by us.
const registry = { packageId: demo.packages.registry, objectId: demo.objects.registry };
const listing = {
  serviceType,
  packageId,
  manifestUri: `walrus://${blobId}`,
  manifestHash: manifestHash(manifest),
};
const listed = await execute((tx) => register(tx, registry, listing));
console.log(`registered ${listed.digest}`);

// 5. The catalog shows it after the service has indexed the event and checked the manifest.
const started = performance.now();
for (;;) {
  const catalog = await (await fetch(`${demo.baseUrl}/api/adaptors`)).json();
  const entry = catalog.adaptors.find((a: { serviceType: string }) => a.serviceType === serviceType);
  if (entry) {
    console.log(`in the catalog after ${Math.round(performance.now() - started)} ms:`);
    console.log(JSON.stringify(entry, null, 2));
    break;
  }
  if (performance.now() - started > 30_000) throw new Error('not in the catalog after 30 s: see /status');
  await new Promise((done) => setTimeout(done, 50));
}

/** The part of `demo.json`, written by `npm start`, that names its network and the registry. */
async function runningService(file: string) {
  try {
    const found = JSON.parse(await readFile(file, 'utf8'));
    await fetch(`${found.baseUrl}/healthz`);
    return found;
  } catch {
    console.error(
      `No service runs that ${file} describes: run npm start in another terminal, and wait for Ready.`,
    );
    process.exit(1);
  }
}
