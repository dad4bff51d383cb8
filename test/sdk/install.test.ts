import { execFile } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import sdk from '../../packages/sdk/package.json' with { type: 'json' };
import { type InstalledProject, installProject } from '../support/installed-project.ts';

const run = promisify(execFile);
/** The oldest `@mysten/sui` that the packages accept. */
const oldest = sdk.peerDependencies['@mysten/sui'].replace('^', '');

let project: InstalledProject;
beforeAll(async () => {
  project = await installProject(['move-bytecode', 'adaptor', 'sdk'], { sui: oldest });
});
afterAll(() => project.remove());

async function listInstalled(pattern: string): Promise<string[]> {
  return (
    await Array.fromAsync(glob(`**/node_modules/${pattern}/package.json`, { cwd: project.dir }))
  ).sort();
}

test('an application keeps its own version of @mysten/sui, and it is the only copy', async () => {
  const copies = await listInstalled('@mysten/sui');
  expect(copies).toEqual(['node_modules/@mysten/sui/package.json']);
  const { version } = JSON.parse(await readFile(join(project.dir, copies[0]!), 'utf8'));
  expect(version).toBe(oldest);
});

test('with the SDK, neither the Move compiler nor native gRPC is installed', async () => {
  expect(await listInstalled('@noble/hashes')).not.toEqual([]);
  for (const heavy of [
    '@zktx.io/*',
    '@grpc/*',
    '@protobuf-ts/grpc-transport',
    '@mysten/move-bytecode-template',
  ])
    expect(await listInstalled(heavy)).toEqual([]);
});

test('transactions and clients of an application pass to the SDK and back, and its types agree', async () => {
  await project.write(
    'app.ts',
    `import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { isExecutable } from '@adaptor-marketplace/adaptor/manifest';
import { appendAction, appendOp } from '@adaptor-marketplace/adaptor/transactions';
import { type CatalogEntry, createMarketplace, pages } from '@adaptor-marketplace/sdk';
import { grant } from '@adaptor-marketplace/sdk/transactions';
import { verifyEntry } from '@adaptor-marketplace/sdk/verify';

const sender = new Ed25519Keypair().toSuiAddress();
const wallet = { packageId: '0xa', walletId: '0xb' };
const allowance = { service: '0xc::jar::Jar', coinType: '0x2::sui::SUI', allowance: 5n };
const transaction: Transaction = grant(sender, wallet, allowance);
if (!(transaction instanceof Transaction)) throw new Error('another copy');
const client = new SuiGrpcClient({ network: 'testnet', baseUrl: 'http://127.0.0.1:1' });
const { baseUrl, api } = createMarketplace({ baseUrl: 'http://127.0.0.1:1' });
const path = { serviceType: '0xc::jar::Jar' };
pages((cursor) => api.listAdaptorReviews({ path, query: { cursor } }));
const verify = (entry: CatalogEntry) => verifyEntry(client, { packageId: '0xd', objectId: '0xe' }, entry);
function runFirstOp({ serviceType: service, packageId, manifest, opCoins: [coins] }: CatalogEntry): Transaction {
  const [op] = manifest.ops;
  if (!op || !isExecutable(op) || !coins?.coinIn) throw new Error('not executable');
  const { coinIn } = coins;
  const tx = new Transaction();
  const takes = [{ coinType: coinIn, amount: 5n }];
  appendAction(tx, { packageId: '0xa', wallet: '0xb' }, { service, takes, brings: [] }, () =>
    appendOp(tx, packageId, op, { wallet: '0xb', amount: 5n, coinIn }),
  );
  return tx;
}
console.log(baseUrl, verify.length, runFirstOp.length, transaction.getData().commands.length);
`,
  );
  const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const options = [...strict, '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext'];
  await run(tsc, [...options, 'app.ts'], { cwd: project.dir });
  const { stdout } = await run(project.node, ['app.js'], { cwd: project.dir });
  expect(stdout).toBe('http://127.0.0.1:1 1 1 1\n');
});
