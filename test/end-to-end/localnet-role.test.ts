import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { listenOn } from '@adaptor-marketplace/process';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { buildRequest } from '../support/build-request.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import { createDataDir, ready, type Service, startService, stopService } from '../support/service.ts';
import { describeSpend } from '../support/spend-request.ts';

const run = promisify(execFile);
const example = join(import.meta.dirname, '../../docs/examples/list-an-adaptor.ts');
const payers = 3;

let dataDir: Awaited<ReturnType<typeof createDataDir>>;
let localnet: Service;
let others: Service;
let demo: DemoFile & { baseUrl: string };

beforeAll(async () => {
  dataDir = await createDemoDir();
  localnet = startService(dataDir.dir, ['localnet']);
  others = startService(dataDir.dir, ['indexer', 'tools', 'agent', 'gateway']);
  demo = await ready(others, dataDir.dir);
});
afterAll(async () => {
  for (const service of [localnet, others]) {
    await stopService(service);
  }
  await dataDir.remove();
});

test('the localnet role, killed under load, starts again alone with all that it told, and the others go on', async () => {
  onTestFailed(() => console.log(`localnet:\n${localnet.output()}\nothers:\n${others.output()}`));
  const before = await chain();
  const told: string[] = [];
  const enough = Promise.withResolvers<void>();
  const loads = Array.from({ length: payers }, async () => {
    const payer = Ed25519Keypair.generate();
    await requestSuiFromFaucetV2({ host: demo.faucetUrl, recipient: payer.toSuiAddress() });
    for (;;) if (told.push(await pay(payer)) >= 30) enough.resolve();
  });
  // Each load ends with the network.
  const ended = Promise.allSettled(loads);
  await Promise.race([enough.promise, Promise.all(loads)]);
  localnet.process.kill('SIGKILL');
  await Promise.all([localnet.exited, ended]);
  // The site serves the catalog meanwhile.
  expect((await fetch(`${demo.baseUrl}/api/adaptors`)).status).toBe(200);

  localnet = startService(dataDir.dir, ['localnet']);
  await eventually(() => expect(localnet.output()).toContain('the local network runs'));
  expect(await readDemoFile(dataDir.dir)).toEqual(demo);
  const after = await chain();
  expect(after.chainId).toBe(before.chainId);
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  for (const digest of told) {
    const found = await client.core.getTransaction({ digest });
    expect(found.Transaction?.digest).toBe(digest);
  }

  const { stdout } = await run(process.execPath, [example], {
    env: { ...process.env, DATA_DIR: dataDir.dir },
  });
  expect(stdout).toContain('in the catalog after');
  expect(await spend()).toContain('{"step":"confirm","status":"done"');
  expect(others.process.exitCode).toBeNull();
});

test('a second gateway of the data folder leaves the address of the first in demo.json', async () => {
  const probe = createServer();
  const { port } = await listenOn(probe, 0, '127.0.0.1');
  probe.close();
  const second = startService(dataDir.dir, ['gateway'], { PORT: String(port) });
  await eventually(() => expect(second.output()).toContain('Ready.'));
  expect(await readDemoFile(dataDir.dir)).toEqual(demo);
  expect(await stopService(second)).toBe(0);
});

test('started again as one process, everything is where it was, also for an analyst', async () => {
  const address = await databaseUrl();
  for (const service of [others, localnet]) {
    expect(await stopService(service)).toBe(0);
  }
  others = startService(dataDir.dir, [], {
    REDIS_URL: 'memory:',
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    SQL_DATABASE_URL: 'embedded:',
  });
  expect(await ready(others, dataDir.dir)).toEqual(demo);
  const analyst = new pg.Client({ connectionString: address });
  await analyst.connect();
  const { rows } = await analyst.query('select count(*)::int as n from listings');
  expect(rows[0].n).toBeGreaterThan(10);
  await analyst.end();
  const { key } = await issueTestKey(demo.baseUrl);
  const answer = await fetch(
    `${demo.baseUrl}/api/sql`,
    buildRequest({ sql: 'select count(*)::int4 as n from adaptors' }, { 'x-api-key': key }),
  );
  expect(await answer.json()).toMatchObject({ rows: [[rows[0].n]] });
});

test('where another program has the default ports, the service uses others and says which and why', async () => {
  const taken = [8080, 9000, 9123, 31_415];
  await Promise.all(taken.map(holdPort));
  const own = await createDemoDir();
  const settings = ['PORT', 'LOCALNET_PORT', 'LOCALNET_FAUCET_PORT', 'LOCALNET_BLOBS_PORT'];
  const service = startService(own.dir, [], Object.fromEntries(settings.map((name) => [name, ''])));
  onTestFinished(async () => {
    await stopService(service);
    await own.remove();
  });
  const { baseUrl, rpcUrl, faucetUrl, blobStoreUrl } = await ready(service, own.dir);
  // The service answers before it prints them.
  await eventually(() => {
    for (const [at, url] of [baseUrl, rpcUrl, faucetUrl, blobStoreUrl].entries()) {
      const { port } = new URL(url);
      expect(service.output()).toMatch(
        new RegExp(`Note {6}Port ${taken[at]} is in use: .* uses ${port} instead\\. Set ${settings[at]} to`),
      );
    }
  });
});

test('beside a network’s node, the localnet role alone says that it has nothing to do, and waits', async () => {
  const own = await createDataDir();
  const service = startService(own.dir, ['localnet'], {
    SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
    TESTNET_REGISTRY_PACKAGE_ID: '0x1',
    TESTNET_REGISTRY_OBJECT_ID: '0x2',
  });
  await eventually(() => expect(service.output()).toContain('The localnet role has nothing to do'));
  expect(service.process.exitCode).toBeNull();
  expect(await stopService(service)).toBe(0);
  await own.remove();
});

async function chain() {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  return (await client.ledgerService.getServiceInfo({})).response;
}

async function pay(payer: Ed25519Keypair): Promise<string> {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  const transaction = new Transaction();
  const [coin] = transaction.splitCoins(transaction.gas, [1]);
  transaction.transferObjects([coin], `0x${'b0'.repeat(32)}`);
  const sent = await client.signAndExecuteTransaction({ transaction, signer: payer });
  return sent.Transaction!.digest;
}

/** Runs a spend from the demo's wallet with the agent, and resolves with its report. */
async function spend(): Promise<string> {
  const answer = await fetch(
    `${demo.baseUrl}/api/agent/run`,
    buildRequest(describeSpend(demo), { authorization: `Bearer ${demo.agent.executorKey}` }),
  );
  return await answer.text();
}

/** Finds the database's URL in the data folder, by the steps in docs/analytics.md. */
async function databaseUrl(): Promise<string> {
  const home = join(dataDir.dir, 'postgres');
  const place = await readFile(join(home, 'location'), 'utf8').catch(() => home);
  const read = async (folder: string, file: string) => (await readFile(join(folder, file), 'utf8')).trim();
  const [password, port] = await Promise.all([read(place.trim(), 'password'), read(home, 'port')]);
  return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** Makes sure that the port is in use: by this test, unless another program already has it. */
async function holdPort(port: number): Promise<void> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await listenOn(server, port, '127.0.0.1').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
  });
}
