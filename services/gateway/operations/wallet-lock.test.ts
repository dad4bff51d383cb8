import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { expect, onTestFinished, test } from 'vitest';
import { startTestGateway, testPackages } from '../../../test/support/gateway.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { statusBody } from './health.ts';

const { walletPackageId } = testPackages;
const owner = `0x${'b'.repeat(64)}`;
const notFound = 5;

/** A gateway whose node knows the functions of the wallet package by the given handler. */
async function startWithNode(getFunction: () => object) {
  const node = await startNodeDouble({
    listPackageVersions: () => ({ versions: [{ packageId: walletPackageId, version: 1n }] }),
    getFunction,
  });
  onTestFinished(() => node.close());
  const gateway = await startTestGateway(undefined, undefined, { rpcUrl: node.url, walletPackageId });
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
