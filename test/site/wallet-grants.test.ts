import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import {
  connectWallet,
  expectAccessible,
  expectWidths,
  openPage,
  openReader,
  signShown,
  startDemo,
} from './browsing.ts';

let path: string;
const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(() => {
  path = `/wallet?owner=${world.demo.owner.address}`;
});

async function openPlain(url: string): Promise<Page> {
  const context = await world.browser.newContext({ javaScriptEnabled: false });
  const { page, wrong } = await openPage(context);
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(world.demo.baseUrl + url, { waitUntil: 'load' });
  return page;
}

const names = (page: Page) => page.locator('#grants .services th[scope=row] p:first-child').allInnerTexts();

/** Reads how many services a filter would show. */
async function countShown(page: Page, filter: string): Promise<number> {
  const text = await page.getByRole('link', { name: new RegExp(`^${filter} `) }).innerText();
  return Number(/\((\d+)\)/.exec(text)?.[1]);
}

test('without script the sums by coin are shown, and links sort and filter the services', async () => {
  const page = await openPlain(path);
  const sums = page.locator('#grants table').first();
  expect(await sums.locator('tr', { hasText: 'Unlimited' }).count()).toBeGreaterThan(2);
  expect(await sums.innerText()).toMatch(/SUI\s+[\d,.]+ SUI\s+\d+/);
  const all = await countShown(page, 'All');
  expect(all).toBeGreaterThan(10);
  const first = await names(page);
  expect(first).toHaveLength(10);
  await page.locator('#grants').getByRole('link', { name: 'Next page' }).click();
  const second = await names(page);
  expect(new Set([...first, ...second]).size).toBe(all);
  await page.getByRole('link', { name: 'Previous page' }).click();
  expect(await names(page)).toEqual(first);
  const flagged = await page.locator('.services .allowed', { hasText: 'Unlimited' }).count();
  expect(await page.locator('.services .allowed').first().innerText()).toContain('Unlimited');

  await page.getByRole('link', { name: `Unlimited (${flagged})` }).click();
  expect(new URL(page.url()).searchParams.get('show')).toBe('unlimited');
  expect(await names(page)).toHaveLength(flagged);
  await page.getByRole('link', { name: 'Service', exact: true }).click();
  const shown = await names(page);
  expect(shown).toEqual(shown.toSorted((a, b) => a.localeCompare(b, 'en')));
  expect(shown).toHaveLength(flagged);
  await page.getByRole('link', { name: /^All / }).click();
  await sums.getByRole('link', { name: 'SUI', exact: true }).click();
  expect(await countShown(page, 'All')).toBeLessThan(all);
  await page.getByRole('link', { name: 'Any coin' }).click();
  expect(await countShown(page, 'All')).toBe(all);
});

test('what a wallet moved is in one line with its sign, on a phone too', async () => {
  const page = await openPlain(path);
  await page.setViewportSize({ width: 360, height: 900 });
  const moved = page.locator('#history td.number p');
  const heights = await moved.evaluateAll((all) =>
    (all as unknown as { getBoundingClientRect(): DOMRectReadOnly }[]).map((one) =>
      Math.round(one.getBoundingClientRect().height),
    ),
  );
  expect(heights.length).toBeGreaterThan(5);
  expect(new Set(heights).size).toBe(1);
  await expectWidths(page);
});

test('ids lead to the explorer of the local network, which knows them', async () => {
  const page = await openPlain(path);
  const { walletId, address } = world.demo.owner;
  for (const id of [walletId, address]) {
    const href = await page
      .locator('aside a', { has: page.locator(`[title="${id}"]`) })
      .first()
      .getAttribute('href');
    expect(href).toBe(`${world.demo.faucetUrl}/explorer/find?q=${id}`);
    const found = await fetch(href!);
    expect([found.status, await found.text()]).toEqual([200, expect.stringContaining(id)]);
  }
});

test('an owner changes a grant on the page that grants it, which replaces it', async () => {
  const { page, context, wrong } = await openReader(world, world.demo.owner.secretKey);
  onTestFinished(() => context.close());
  const ofSui = `${world.demo.baseUrl}${path}&coin=0x${'2'.padStart(64, '0')}::sui::SUI`;
  await page.goto(ofSui, { waitUntil: 'load' });
  await connectWallet(page);
  const row = page.locator('.services .allowed', { has: page.getByRole('link', { name: 'Tip Jar' }) });
  expect(await row.locator('.takes').innerText()).not.toContain('0.123 SUI');
  await row.getByRole('link', { name: 'Change' }).click();
  await page.locator('h1', { hasText: 'Use Tip Jar' }).waitFor();
  await page.getByLabel('that it can take, in total').fill('0.123');
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  await signShown(page);
  await page.getByRole('link', { name: 'See what you have allowed' }).waitFor();
  await eventually(async () => {
    await page.goto(ofSui, { waitUntil: 'load' });
    expect(await row.locator('.takes').innerText()).toContain('0.123 SUI');
  });
  expect(wrong).toEqual([]);
});

test('several services are revoked with one signature, whose dialog shows each grant that ends', async () => {
  const { page, context, wrong } = await openReader(world, world.demo.owner.secretKey);
  onTestFinished(() => context.close());
  await page.goto(world.demo.baseUrl + path, { waitUntil: 'load' });
  await connectWallet(page);
  const revoke = page.getByRole('button', { name: 'Revoke the selected' });
  await revoke.click();
  await page.getByText('No service is selected').waitFor();
  await page.keyboard.press('Escape');
  // A filter hides some of the coins that a service may take, and the dialog shows them all the same.
  await page.getByRole('link', { name: 'SUI', exact: true }).first().click();
  await page.getByRole('link', { name: 'Any coin' }).waitFor();
  await page.getByRole('checkbox', { name: 'Select Lagoon Swap' }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('checkbox', { name: 'Select Tip Jar' }).check();
  for (const width of [360, 768, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await expectAccessible(page);
  await revoke.click();
  const body = page.locator('dialog .body');
  await body.getByText(/It costs/).waitFor();
  const said = await body.innerText();
  expect(said).toMatch(/Lagoon Swap[\s\S]*These grants end:\s+up to [\d.]+ \w+\s+up to [\d.]+ \w+/);
  expect(said).toMatch(/Tip Jar[\s\S]*up to [\d.]+ SUI/);
  await signShown(page);
  await eventually(async () => {
    const left = await names(page);
    expect(left.length).toBeGreaterThan(3);
    expect(left).not.toContain('Lagoon Swap');
    expect(left).not.toContain('Tip Jar');
  });
  expect(wrong).toEqual([]);
});
