import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeChecks } from '../../packages/cli/src/doctor/checks.ts';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { buildRequest } from '../support/build-request.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { eventually } from '../support/eventually.ts';
import { recordRpcs } from '../support/rpcs/record-rpcs.ts';
import { createDataDir, ready, type Service, startService, stopService } from '../support/service.ts';

const preload = join(import.meta.dirname, '../support/rpcs/record-process.ts');
const roles = ['indexer', 'tools', 'agent', 'gateway'];
const sui = '0x2::sui::SUI';

let dataDir: Awaited<ReturnType<typeof createDataDir>>;
let network: Service;
let record: string;
const running = new Set<Service>();
/** RPCs of the commands, which run in this process. */
const commandRpcs = new Set<string>();
const endRecord = recordRpcs((rpc) => commandRpcs.add(rpc));

beforeAll(async () => {
  dataDir = await createDataDir();
  record = join(dataDir.dir, 'rpcs');
  network = startService(dataDir.dir, ['localnet']);
  running.add(network);
  await eventually(async () => {
    if (network.process.exitCode !== null) throw new Error(network.output());
    expect(await readDemoFile(dataDir.dir)).toBeDefined();
  });
});
afterAll(async () => {
  endRecord();
  for (const service of running) await stop(service);
  await dataDir.remove();
});

async function stop(service: Service): Promise<void> {
  running.delete(service);
  await stopService(service);
}

/** Runs work with the service, and returns the RPCs of its process. */
async function recordService(
  work: (demo: DemoFile & { baseUrl: string }) => Promise<void>,
): Promise<Set<string>> {
  const env = { NODE_OPTIONS: `--import ${preload}`, RPC_RECORD: record };
  const service = startService(dataDir.dir, roles, env);
  running.add(service);
  await work(await ready(service, dataDir.dir));
  await stop(service);
  return new Set((await readFile(record, 'utf8')).trim().split('\n'));
}

/** Changes how the network misbehaves, or ends all of it. */
async function misbehave({ faucetUrl }: DemoFile, change?: object): Promise<void> {
  const body = change && JSON.stringify(change);
  const request = body === undefined ? { method: 'DELETE' } : { method: 'POST', body };
  expect((await fetch(`${faucetUrl}/admin/misbehave`, request)).status).toBe(200);
}

async function post(demo: { baseUrl: string }, path: string, body: object): Promise<void> {
  const response = await fetch(`${demo.baseUrl}${path}`, buildRequest(body));
  expect(response.status, await response.text()).toBe(200);
}

async function expectCommand(demo: DemoFile & { baseUrl: string }, ...words: string[]): Promise<void> {
  const { code, err } = await runCommand(words, {
    MARKETPLACE_URL: demo.baseUrl,
    MARKETPLACE_EXECUTOR_KEY: demo.agent.executorKey,
    SUI_RPC_URL: demo.rpcUrl,
    SUI_SECRET_KEY: demo.owner.secretKey,
  });
  expect(code, err).toBe(0);
}

/** Runs a command while the node takes no transaction, until the service uses the RPC. */
async function awaitRpc(
  demo: DemoFile & { baseUrl: string },
  rpc: string,
  words: readonly string[],
): Promise<void> {
  await misbehave(demo, { failCalls: { code: 'UNAVAILABLE', methods: ['ExecuteTransaction'] } });
  const command = expectCommand(demo, ...words);
  await eventually(async () => expect(await readFile(record, 'utf8')).toContain(rpc));
  await misbehave(demo);
  await command;
}

const spend = ({ owner, provider }: DemoFile, amount: number) => [
  ...['run', 'spend', `coinType=${sui}`, `amount=${amount}`, `recipient=${provider.address}`],
  ...['--owner', owner.address, '--wallet', owner.walletId],
];

test('doctor checks exactly the RPCs that the service uses', async () => {
  await misbehave((await readDemoFile(dataDir.dir))!, { refuseLists: true });
  const byCheckpoints = await recordService(async () => undefined);
  expect([...byCheckpoints]).toContain('SubscriptionService/SubscribeCheckpoints');
  expect([...byCheckpoints]).not.toContain('SubscriptionService/SubscribeTransactions');

  await misbehave((await readDemoFile(dataDir.dir))!);
  const used = await recordService(async (demo) => {
    const packageId = demo.packages.adaptors.tip_jar!;
    await post(demo, '/api/adaptors/introspect', { packageId });
    await post(demo, '/api/adaptors/infer', { packageId, entry: 'tip' });
    // The agent asks for the price of gas while the chain does not take the split of its coins.
    await awaitRpc(demo, 'LedgerService/GetEpoch', spend(demo, 1_000));
    await expectCommand(demo, 'whoami');
    await expectCommand(demo, 'wallet', demo.owner.walletId);
    await expectCommand(demo, 'open-wallet', '--deposit', '1000');
    const delegations = await fetch(`${demo.baseUrl}/api/delegations?address=${demo.agent.address}`);
    expect(await delegations.json()).toMatchObject({ active: [{}, {}] });
    // The agent looks for a transaction that the node may have received.
    await awaitRpc(demo, 'LedgerService/BatchGetTransactions', spend(demo, 2_000));
  });
  const all = new Set([...used, ...commandRpcs]);
  expect([...all].toSorted()).toEqual(nodeChecks.map(({ rpc }) => rpc).toSorted());
});
