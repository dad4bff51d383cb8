import { setTimeout as delay } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { countFewest, readDocumentedRoundTrips } from '../support/rpcs/documented-round-trips.ts';
import { countSequential, type RecordedCall } from '../support/rpcs/record-calls.ts';
import { useForFile } from '../support/use-for-file.ts';
import { connectWallet, dialogButton, openReader, startDemo } from './browsing.ts';

const distanceMs = 50;

const expected = await readDocumentedRoundTrips();

const site = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));

/** Recognizes a poll for the checkpoint of a transaction. */
const isPoll = (request: Request) => request.url().endsWith('/GetTransaction');

/** Opens the grant page of the swap's service in a browser that is far from the node, and records its calls there. */
async function countOnGrantPage(
  work: (page: Page) => Promise<void>,
  prepare: (page: Page) => Promise<void> = async () => undefined,
): Promise<number> {
  const { page, context } = await openReader(site, site.demo.owner.secretKey);
  const calls: RecordedCall[] = [];
  await context.route(/\/sui\.rpc\.v2\./, async (route) => {
    const call = { rpc: route.request().url(), startMs: performance.now(), endMs: Number.POSITIVE_INFINITY };
    // The network closes a checkpoint at its own pace, so the polls until then are one call: the last.
    if (isPoll(route.request()))
      calls.splice(0, calls.length, ...calls.filter(({ rpc }) => rpc !== call.rpc));
    calls.push(call);
    await delay(distanceMs);
    const response = await route.fetch();
    call.endMs = performance.now();
    await route.fulfill({ response });
  });
  try {
    const { serviceType } = site.demo.venues.swap;
    await page.goto(`${site.demo.baseUrl}/wallet/grant?service=${serviceType}`, { waitUntil: 'load' });
    await connectWallet(page);
    await page.getByLabel('Amount').fill('0.1');
    await prepare(page);
    calls.length = 0;
    await work(page);
    return countSequential(calls);
  } finally {
    await context.close();
  }
}

async function tryIt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.locator('.trial').waitFor();
}

async function openSignDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  await page
    .locator('dialog .body')
    .getByText(/You sign one transaction/)
    .waitFor();
}

async function sign(page: Page): Promise<void> {
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog .notice.good').waitFor();
}

const paths: Record<string, () => Promise<number>> = {
  'site: trial of an operation': () => countOnGrantPage(tryIt),
  'site: dialog to sign a grant': () => countOnGrantPage(openSignDialog, tryIt),
  'site: execute the signed grant and wait': () =>
    countOnGrantPage(sign, async (page) => {
      await tryIt(page);
      await openSignDialog(page);
    }),
};

test.each(Object.entries(paths))('%s takes as many round trips as the document states', async (path, run) => {
  expect(expected.has(path)).toBe(true);
  const calls = expected.get(path)!;
  expect(await countFewest(calls, run)).toBe(calls);
});
