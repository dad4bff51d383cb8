import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeAuditor } from '../../services/demo/audits.ts';
import { type DemoFile, readDemoFile } from '../../services/demo/file.ts';
import { buildRequest } from '../support/build-request.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir, type Service, startService, stopService } from '../support/service.ts';

let network: Service;
let demo: DemoFile;
let networkDir: Awaited<ReturnType<typeof createDemoDir>>;
let dataDir: Awaited<ReturnType<typeof createDataDir>>;
const running = new Set<Service>();
const absent = `0x${'e'.repeat(64)}`;

beforeAll(async () => {
  [networkDir, dataDir] = await Promise.all([createDemoDir(), createDataDir()]);
  network = start(networkDir.dir, ['localnet']);
  await eventually(() => expect(network.output()).toContain('the local network runs'));
  demo = (await readDemoFile(networkDir.dir))!;
});
afterAll(async () => {
  for (const service of running) {
    await stopService(service);
  }
  await Promise.all([networkDir.remove(), dataDir.remove()]);
});

function start(...options: Parameters<typeof startService>): Service {
  const service = startService(...options);
  running.add(service);
  return service;
}

/** Starts the service with nothing but the url of a node and a file of deployed contracts. */
async function startWith(
  deployment: object,
  rpcUrl = demo.rpcUrl,
  more: Record<string, string> = {},
): Promise<Service> {
  const file = join(dataDir.dir, 'deployment.json');
  await writeFile(file, JSON.stringify(deployment));
  return start(dataDir.dir, ['indexer', 'gateway'], {
    SUI_TESTNET_RPC_URL: rpcUrl,
    TESTNET_DEPLOYMENT_FILE: file,
    // Stand in for Walrus, where the listings' manifests are.
    WALRUS_TESTNET_AGGREGATOR_URL: demo.blobStoreUrl,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    ...more,
  });
}

async function findUrl(service: Service): Promise<string> {
  return await eventually(() => {
    if (service.process.exitCode !== null) throw new Error(`ended early:\n${service.output()}`);
    const [, url] = /Site +(http:\S+)\//.exec(service.output()) ?? [];
    if (url === undefined) throw new Error(service.output());
    return url;
  });
}

test('with the url of a node and a deployment file the service lists and drafts; what is not deployed is off', async () => {
  const { registry, wallet } = demo.packages;
  const service = await startWith({
    registryPackageId: registry,
    walletPackageId: wallet,
    escrowPackageId: absent,
  });
  const url = await findUrl(service);
  await eventually(async () => expect((await fetch(`${url}/readyz`)).status, service.output()).toBe(200));
  const json = async (path: string, init?: RequestInit) => await (await fetch(url + path, init)).json();

  const { networks, unserved } = await json('/status');
  expect(unserved).toEqual({});
  expect(networks.testnet).toMatchObject({
    sources: [{ name: 'registry' }, { name: 'wallet' }],
    off: ['rules', 'agents', 'escrow', 'statements'],
    walletLock: true,
  });
  expect(service.output()).toContain('the chain does not have this package');
  expect((await json('/api/adaptors/schema')).networks.testnet.registry.objectId).toBe(demo.objects.registry);
  await eventually(async () => expect((await json('/api/adaptors')).adaptors.length).toBeGreaterThan(10));
  const tips = { name: 'Tips', summary: 'Takes tips.', category: 'Other' };
  const packageId = demo.packages.adaptors.tip_jar;
  const draft = await json('/api/adaptors/draft', buildRequest({ packageId, ...tips }));
  expect(JSON.stringify(draft)).toContain(demo.objects.registry);
  expect(await json('/api/policy/rules')).toMatchObject({ code: 'not_configured' });
  await stopService(service);
});

test('a node of another network is refused with the setting and the registry', async () => {
  const service = await startWith({ registryPackageId: absent });
  expect(await service.exited).toBe(1);
  await eventually(() =>
    expect(service.output()).toMatch(/SUI_TESTNET_RPC_URL: .* has no package 0xe+, the registry of testnet/),
  );
});

test('a package that is not a registry is refused with the settings that help', async () => {
  const service = await startWith({ registryPackageId: demo.packages.wallet });
  expect(await service.exited).toBe(1);
  await eventually(() =>
    expect(service.output()).toMatch(/TESTNET_REGISTRY_OBJECT_ID is required: .*SUI_TESTNET_ARCHIVE_URL/),
  );
});

test('attesters with another object than the registry of their package are refused', async () => {
  const { registry: registryPackageId, attestations: packageId, auditor } = demo.packages;
  const attesters = { packageId, registryId: demo.objects.registry, list: [describeAuditor(auditor)] };
  const more = { TESTNET_ATTESTERS: JSON.stringify(attesters) };
  const service = await startWith({ registryPackageId }, demo.rpcUrl, more);
  expect(await service.exited).toBe(1);
  await eventually(() =>
    expect(service.output()).toMatch(
      /TESTNET_ATTESTERS: registryId: the chain has no object 0x\w+ of the type/,
    ),
  );
});

test('a node that does not answer is waited for, and the gateway says so meanwhile', async () => {
  const service = await startWith({ registryPackageId: demo.packages.registry }, 'http://127.0.0.1:1');
  const room = await eventually(() => {
    const [, url] = /"url":"(http:[^"]+)"[^\n]*waiting for the node/.exec(service.output()) ?? [];
    if (url === undefined) throw new Error(service.output());
    return url;
  });
  expect((await fetch(`${room}/healthz`)).status).toBe(200);
  expect((await fetch(`${room}/api/adaptors`)).status).toBe(503);
  expect(await stopService(service)).toBe(0);
});
