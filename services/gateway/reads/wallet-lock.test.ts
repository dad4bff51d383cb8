import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openNodes } from '../../../lib/chain/nodes.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { startTestGateway, testPackages } from '../../../test/support/gateway.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { statusBody } from '../operations/health.ts';
import { createWalletLocks } from './wallet-lock.ts';

const { walletPackageId } = testPackages;
const owner = `0x${'b'.repeat(64)}`;
const notFound = 5;

/** A node that knows the functions of the wallet package by the given handler. */
async function startNode(getFunction: () => object | Promise<object>) {
  const node = await startNodeDouble({
    listPackageVersions: () => ({ versions: [{ packageId: walletPackageId, version: 1n }] }),
    getFunction,
  });
  onTestFinished(() => node.close());
  return node;
}

async function startWithNode(getFunction: () => object) {
  const node = await startNode(getFunction);
  const gateway = await startTestGateway(undefined, { network: { rpcUrl: node.url, walletPackageId } });
  onTestFinished(() => gateway.close());
  await gateway.seed.source({ name: 'wallet' });
  await walletRows(gateway.db).wallet(owner);
  const { networks } = statusBody.parse(await (await fetch(`${gateway.url}/status`)).json());
  const page = await fetch(`${gateway.url}/wallet?owner=${owner}`, { headers: { accept: 'text/html' } });
  return { lock: networks.testnet!.walletLock, page: await page.text() };
}

const words = 'The wallets of this network have no lock';

test('wallets without a lock are named in the status and on the page of the wallet', async () => {
  const { lock, page } = await startWithNode(() => {
    throw new NodeRefusedError(notFound, 'no such function');
  });
  expect(lock).toBe(false);
  expect(page).toContain(owner);
  expect(page).toContain(words);
  expect(page).toContain('/docs/agent-run#confirmed-adaptors');
});

test('wallets with a lock have no such notice', async () => {
  const { lock, page } = await startWithNode(() => ({ function: { name: 'begin' } }));
  expect(lock).toBe(true);
  expect(page).toContain(owner);
  expect(page).not.toContain(words);
});

test('a node that does not answer leaves it open', async () => {
  const { lock, page } = await startWithNode(() => {
    throw new NodeRefusedError(14, 'later');
  });
  expect(lock).toBeNull();
  expect(page).not.toContain(words);
});

test('a request budget that is used up leaves it open, and the status is served', async () => {
  const node = await startNode(() => ({ function: { name: 'begin' } }));
  // The list of versions takes the only request.
  const settings = { rpcUrl: node.url, walletPackageId, rpcBudget: 1 };
  const gateway = await startTestGateway(undefined, { network: settings });
  onTestFinished(() => gateway.close());
  const answer = await fetch(`${gateway.url}/status`);
  expect(answer.status).toBe(200);
  expect(statusBody.parse(await answer.json()).networks.testnet!.walletLock).toBeNull();
});

test('requests share one read and one wait for a node that is silent, and get its answer later', async () => {
  let reads = 0;
  const answered = Promise.withResolvers<void>();
  const node = await startNode(async () => {
    reads += 1;
    await answered.promise;
    return { function: { name: 'begin' } };
  });
  const closing = new AsyncDisposableStack();
  onTestFinished(() => closing.disposeAsync());
  const settings = { network: 'testnet' as const, rpcUrl: node.url, walletPackageId };
  const options = { priority: 'read' as const, providers: undefined, log: silentLogger };
  const locks = createWalletLocks(openNodes([settings], closing, options), silentLogger, 1);
  expect(await Promise.all([locks('testnet'), locks('testnet')])).toEqual([null, null]);
  const noLonger = new Promise((resolve) => setImmediate(resolve, 'waits'));
  expect(await Promise.race([locks('testnet'), noLonger])).toBeNull();
  answered.resolve();
  await vi.waitUntil(async () => await locks('testnet'));
  expect(reads).toBe(1);
});
