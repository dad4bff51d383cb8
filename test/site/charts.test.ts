import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useForFile } from '../support/use-for-file.ts';
import { expectAccessible, openPage, startDemo } from './browsing.ts';
import { readShift, recordShifts, shiftMax } from './layout-shift.ts';

let path: string;
const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(() => {
  const [harbour] = world.demo.publishers;
  path = `/a/testnet/${harbour!.serviceTypes.find((type) => type.endsWith('::TipJar'))}`;
});

let page: Page;
let wrong: string[];
async function open(url: string, javaScriptEnabled = true): Promise<void> {
  const viewport = { width: 1_280, height: 900 };
  ({ page, wrong } = await openPage(await world.browser.newContext({ javaScriptEnabled, viewport })));
  await page.goto(world.demo.baseUrl + url, { waitUntil: 'load' });
}
beforeEach(() => async () => {
  await page.context().close();
  expect(wrong).toEqual([]);
});

const titles = () => page.locator('#use .chart .title').allInnerTexts();
const reading = (at: number) => page.locator('#use .chart .reading').nth(at);
/** Days in the table below the charts. */
const tableDays = async () => {
  const rows = page.locator('#use .values tbody tr');
  return await rows.count();
};

test('without script the use of an adaptor is pictures and a table, in ranges by links', async () => {
  await open(path, false);
  expect(await titles()).toEqual([
    'Uses a day',
    'Distinct wallets a day',
    'SUI moved a day',
    'Ratings of the day, of 5',
  ]);
  expect(await tableDays()).toBeGreaterThan(80);
  await page.locator('#use').getByText('The numbers as a table').click();
  const head = await page.locator('#use .values thead th').allInnerTexts();
  expect(head).toEqual([
    ...['Day', 'Uses a day', 'Distinct wallets a day'],
    ...['SUI moved a day: taken', 'SUI moved a day: brought', 'Ratings of the day, of 5'],
  ]);
  await page.getByRole('navigation', { name: 'Days of use' }).getByRole('link', { name: '7 days' }).click();
  expect(new URL(page.url()).searchParams.get('days')).toBe('7');
  expect(
    await page
      .getByRole('navigation', { name: 'Days of use' })
      .getByRole('link', { name: '7 days' })
      .getAttribute('aria-current'),
  ).toBe('true');
  const days = await tableDays();
  expect(days).toBeGreaterThan(4);
  expect(days).toBeLessThanOrEqual(7);
});

test('script adds ranges without a page load, values below the pointer, and the keyboard', async () => {
  await open(path);
  await page.evaluate('globalThis.isSamePage = true');
  await page.getByRole('navigation', { name: 'Days of use' }).getByRole('link', { name: '30 days' }).click();
  await page.locator('#use .charts[data-count="30"]').waitFor();
  expect(new URL(page.url()).searchParams.get('days')).toBe('30');
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('30 days');

  const [summary, before] = [await reading(0).innerText(), await page.locator('#use').boundingBox()];
  const drawing = page.locator('#use .chart > svg').first();
  await drawing.hover();
  expect(await reading(0).innerText()).toMatch(/^\d{4}-\d\d-\d\d: \d+$/);
  expect(await reading(2).innerText()).toMatch(/^\d{4}-\d\d-\d\d: taken [\d.]+, brought \d+$/);
  expect(await page.locator('#use').boundingBox()).toEqual(before);
  await page.locator('h1').hover();
  expect(await reading(0).innerText()).toBe(summary);

  await drawing.focus();
  await page.keyboard.press('Home');
  const first = await reading(0).innerText();
  await page.keyboard.press('ArrowRight');
  const second = await reading(0).innerText();
  const readDay = (text: string) => Date.parse(text.slice(0, 10));
  expect(readDay(second) - readDay(first)).toBe(86_400_000);
  expect(await drawing.getAttribute('aria-valuetext')).toBe(second);
  await page.keyboard.press('End');
  expect(await drawing.getAttribute('aria-valuenow')).toBe('29');
  await expectAccessible(page);
});

test('the pages with charts fit three widths, and nothing on them moves while they load', async () => {
  for (const url of [path, '/status']) {
    await open(url);
    await recordShifts(page);
    for (const width of [360, 768, 1_280]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await page.reload({ waitUntil: 'load' });
      expect(await readShift(page)).toBeLessThanOrEqual(shiftMax);
    }
    await page.getByText('The numbers as a table').first().click();
    await expectAccessible(page);
    if (url === path) await page.context().close();
  }
});
