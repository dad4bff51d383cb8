import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { fundWallet } from '@adaptor-marketplace/sdk/transactions';
import { verifyEntry } from '@adaptor-marketplace/sdk/verify';
import { Transaction } from '@mysten/sui/transactions';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import type { HttpServer } from '../../lib/http/serve.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { dollars, milliSui, SUI } from '../../services/demo/publish.ts';
import type { DemoWallet } from '../../services/demo/wallets.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { startTools } from '../../services/tools/start.ts';
import { type ActionRequests, actionRequests, type Fields } from '../support/agent-actions/requests.ts';
import { executorKey, postAction, readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { runCommand } from '../support/cli/run-command.ts';
import {
  capsForAgent,
  internalSecret,
  moveDollars,
  startDemoAgent,
  startDemoTools,
  walletForAgent,
} from '../support/demo-tools.ts';
import { countFewest, readDocumentedRoundTrips } from '../support/rpcs/documented-round-trips.ts';
import { countSequential, recordCalls } from '../support/rpcs/record-calls.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { useForFile } from '../support/use-for-file.ts';

/* Sequential calls to a node that is far away, in each path of docs/performance.md. */

const distanceMs = 50;

let proxy: TcpProxy;
/** The demo's network, reached over the distance. */
let settings: NetworkSettings & { rpcUrl: string };
let wallet: DemoWallet;
let ask: ActionRequests;
let gateway: HttpServer;
let client: ChainClient;
const expected = await readDocumentedRoundTrips();

const world = useForFile(startDemoTools);
beforeAll(async () => {
  proxy = await startTcpProxy(world.demo.rpcUrl, distanceMs);
  settings = { ...world.settings, rpcUrl: new URL(proxy.url).origin };
  ask = actionRequests(world);
  wallet = await walletForAgent(world, capsForAgent(world, milliSui(500)));
  await moveDollars(world, wallet, dollars(50));
  await world.knowsAll();
  gateway = await openGateway();
  client = createChainClient({ url: settings.rpcUrl });
  // The managed key's coins are split once for all services.
  await withServices(({ run }) => run(ask.spend()));
});
afterAll(async () => {
  client?.close();
  await gateway?.close();
  await proxy?.cut();
});

/** A tool service, an agent service and a gateway that know nothing of the chain yet. */
interface Services {
  toolsUrl: string;
  run(fields: Fields): Promise<void>;
  simulate(fields: Fields): Promise<void>;
}

async function withServices<T>(work: (services: Services) => Promise<T>): Promise<T> {
  await using started = new AsyncDisposableStack();
  const tools = await startTools({
    db: world.db,
    host: '127.0.0.1',
    port: 0,
    networks: [settings],
    internalSecret,
    log: silentLogger,
    metrics: new Registry(),
  });
  started.defer(() => tools.close());
  const agent = await startDemoAgent({ ...world, settings }, tools.url);
  started.defer(() => agent.close());
  const key = await executorKey(agent, wallet.walletId);
  return await work({
    toolsUrl: tools.url,
    async run(fields) {
      const lines = await readSteps(await postAction(agent, 'run', wallet, fields, key));
      expect(lines.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    },
    async simulate(fields) {
      const answer = await postAction(agent, 'simulate', wallet, fields, key);
      expect(await answer.json()).toMatchObject({ wouldSucceed: true });
    },
  });
}

const openGateway = () =>
  startGateway({
    db: world.db,
    networks: [settings],
    host: '127.0.0.1',
    port: 0,
    defaultNetwork: 'testnet',
    maxLagSeconds: 3_600,
    log: silentLogger,
    metrics: new Registry(),
  });

async function count(work: () => Promise<unknown>): Promise<number> {
  const record = recordCalls(settings.rpcUrl);
  try {
    await work();
  } finally {
    record.end();
  }
  return countSequential(record.calls);
}

const spend = () => ask.spend();
const swap = () => ask.swap(milliSui(10), 1n);
const both = () => ask.compose(spend(), swap());

/** A path of services that have just started, and its later use. */
const fresh = (work: (services: Services) => Promise<unknown>) => () =>
  withServices((services) => count(() => work(services)));
const later = (work: (services: Services) => Promise<unknown>) => () =>
  withServices(async (services) => {
    await work(services);
    return await count(() => work(services));
  });

const draft = async ({ toolsUrl }: Services) => {
  expect((await world.post(swap(), { url: toolsUrl })).status).toBe(200);
};

/** A request to a gateway that has just started. */
const requested = (path: string, makeBody: () => object) => async () => {
  const started = await openGateway();
  try {
    return await count(async () => {
      const response = await fetch(started.url + path, buildRequest(makeBody()));
      expect(response.status, await response.text()).toBe(200);
    });
  } finally {
    await started.close();
  }
};

const jar = () => world.demo.packages.adaptors.tip_jar!;
const publisher = () =>
  world.demo.publishers.find(({ serviceTypes }) => serviceTypes.some((type) => type.startsWith(jar())))!;

/** The gateway's own calls are none: it has the versions that it needs from an earlier command. */
const command = (listWords: () => string[]) => async () => {
  const words = listWords();
  const env = {
    MARKETPLACE_URL: gateway.url,
    SUI_RPC_URL: settings.rpcUrl,
    SUI_SECRET_KEY: world.demo.owner.secretKey,
  };
  await fetch(`${gateway.url}/api/adaptors/schema`);
  return await count(async () => {
    const { code, err } = await runCommand(words, env);
    expect(code, err).toBe(0);
  });
};

async function fund(): Promise<void> {
  const target = { packageId: world.demo.packages.wallet, walletId: wallet.walletId };
  const transaction = fundWallet(world.owner.address, target, { coinType: SUI, amount: 1_000n });
  await signAndWait(transaction);
}

async function verify(): Promise<void> {
  const { registryPackageId: packageId, registryObjectId: objectId } = world.settings;
  const answer = await fetch(`${gateway.url}/api/adaptors?limit=1`);
  const { adaptors } = (await answer.json()) as { adaptors: Parameters<typeof verifyEntry>[2][] };
  expect(await verifyEntry(client, { packageId, objectId }, adaptors[0]!)).toMatchObject({ verified: true });
}

async function payOneself(): Promise<void> {
  const transaction = new Transaction();
  transaction.transferObjects([transaction.splitCoins(transaction.gas, [1n])], world.owner.address);
  await signAndWait(transaction);
}

async function signAndWait(transaction: Transaction): Promise<void> {
  const done = await client.signAndExecuteTransaction({ transaction, signer: world.owner.keypair });
  await client.waitForTransaction({ digest: done.Transaction!.digest });
}

const vaultCall = () => {
  const { serviceType, coins } = world.demo.venues.vault;
  const bounds = ['--amount', '1000', '--min-out', '1', '--coin-in', SUI, '--coin-out', coins.share!];
  return ['call', 'deposit', '--service', serviceType, '--wallet', wallet.walletId, ...bounds];
};

const bareTransaction = 'a bare transaction: build, execute and wait';

const paths: Record<string, () => Promise<number>> = {
  [bareTransaction]: () => count(payOneself),
  'agent: a spend, services just started': fresh(({ run }) => run(spend())),
  'agent: a spend, later': later(({ run }) => run(spend())),
  'agent: a swap, services just started': fresh(({ run }) => run(swap())),
  'agent: a swap, later': later(({ run }) => run(swap())),
  'agent: both in one run, services just started': fresh(({ run }) => run(both())),
  'agent: both in one run, later': later(({ run }) => run(both())),
  'agent: simulation of a swap, services just started': fresh(({ simulate }) => simulate(swap())),
  'agent: simulation of a swap, later': later(({ simulate }) => simulate(swap())),
  'tools: a draft of a swap, just started': fresh(draft),
  'tools: a draft of a swap, later': later(draft),
  'gateway: introspection of a new package': requested('/api/adaptors/introspect', () => ({
    packageId: jar(),
  })),
  'gateway: past calls of a new package': requested('/api/adaptors/infer', () => ({
    packageId: jar(),
    entry: 'tip',
  })),
  'gateway: draft of a new package with upload, for its publisher': requested('/api/adaptors/draft', () => ({
    packageId: jar(),
    name: 'Tip Jar',
    summary: 'A jar that anyone tips.',
    sender: publisher().address,
    upload: true,
  })),
  'SDK: fund a wallet, sign, execute and wait': () => count(fund),
  'SDK: verify an entry': () => count(verify),
  'CLI: whoami': command(() => ['whoami']),
  'CLI: wallet': command(() => ['wallet', wallet.walletId]),
  'CLI: open-wallet': command(() => ['open-wallet', '--deposit', '1000']),
  'CLI: publish': command(() => ['publish', 'move/protocols/vault']),
  'CLI: call': command(vaultCall),
  'CLI: attest': command(() => ['attest', world.demo.venues.vault.serviceType, '5']),
};

test('the document states each path, and no other', () => {
  const site = [...expected.keys()].filter((path) => path.startsWith('site: '));
  expect([...expected.keys()].toSorted()).toEqual([...Object.keys(paths), ...site].toSorted());
});

test.each(Object.entries(paths))('%s takes as many round trips as the document states', async (path, run) => {
  const calls = expected.get(path) ?? 0;
  expect(await countFewest(calls, run)).toBe(calls);
});

test('a run adds at most four round trips to those of the bare transaction', () => {
  const bare = expected.get(bareTransaction)!;
  const runs = [...expected].filter(([path]) => /^agent: (?!simulation)/.test(path));
  expect(runs.length).toBe(6);
  for (const [path, calls] of runs) expect(calls, path).toBeLessThanOrEqual(bare + 4);
});
