import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { quarantine, release } from '../../db/queries/catalog/quarantines.ts';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { closePages, shareChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway, testPackages } from '../support/gateway.ts';
import { adminSecret } from '../support/keys.ts';
import type { SeededListing } from '../support/read-model.ts';
import { dialogButton, expectFit, openPage } from './browsing.ts';

let gateway: TestGateway;
let browser: Browser;
let site: string;
let jar: SeededListing;
let other: SeededListing;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  [gateway, browser] = await Promise.all([
    startTestGateway(
      async (seed) => {
        await seed.source();
        jar = await seed.listing({ manifest: { name: 'Jar' } });
        other = await seed.listing({
          manifest: { name: 'Other', deprecated: 'Use the jar.', successor: jar.serviceType },
        });
      },
      { access, network: testPackages },
    ),
    shareChromium(),
  ]);
  site = `http://localhost:${new URL(gateway.url).port}`;
});
afterAll(async () => {
  await closePages(browser);
  await gateway?.close();
});

const decision = (subject: string) => ({ network: 'testnet', subject, operator: 'Ada', reason: 'It drains' });

/**
 * Records the notifications that pages show. A browser without a screen hides them, and says that they are denied although its
 * answer to the request is that they are granted.
 */
const recordNotifications = `globalThis.shown = [];
globalThis.Notification = class extends Notification {
  static get permission() { return 'granted'; }
  constructor(title, options) { super(title, options); globalThis.shown.push(title); }
};`;

async function open(path: string, before?: (context: BrowserContext) => Promise<unknown>) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  await before?.(context);
  const { page, wrong } = await openPage(context);
  await page.goto(site + path);
  return { context, page, wrong };
}

const readShown = (page: Page) => page.evaluate<string[]>('globalThis.shown');

test('a reader who follows an adaptor is notified of its quarantine, on one page, until they stop', async () => {
  const path = `/a/testnet/${jar.serviceType}`;
  const { context, page, wrong } = await open(path, async (of) => {
    await of.addInitScript(recordNotifications);
    await of.grantPermissions(['notifications'], { origin: site });
  });
  expect(await readShown(page)).toEqual([]);
  await page.getByRole('button', { name: 'Notify me in this browser' }).click();
  await page.getByRole('button', { name: 'Stop notifying me' }).waitFor();
  await expectFit(page);
  // A second page takes over when the first one is left.
  const second = await openPage(context);
  await second.page.goto(site);
  await page.goto('about:blank');
  await second.page.waitForFunction(
    `navigator.locks.query().then(({ held }) => held.some(({ name }) => name === 'watched testnet'))`,
  );
  const streamed = second.page.waitForResponse((answer) => answer.url().includes('service-events/stream'));
  await second.page.reload();
  await streamed;
  await quarantine(gateway.db.pool, decision(other.serviceType));
  await quarantine(gateway.db.pool, decision(jar.serviceType));
  await expect.poll(() => readShown(second.page)).toEqual(['Jar is in quarantine: do not grant to it']);
  for (const { serviceType } of [jar, other])
    await release(gateway.db.pool, { ...decision(serviceType), reason: 'Fixed' });
  await expect.poll(() => readShown(second.page)).toContain('Jar is no longer in quarantine');

  await second.page.goto(site + path);
  await second.page.getByRole('button', { name: 'Stop notifying me' }).click();
  await second.page.getByRole('button', { name: 'Notify me in this browser' }).waitFor();
  expect(await second.page.evaluate(`localStorage.getItem('watched')`)).toBeNull();
  expect([wrong, second.wrong]).toEqual([[], []]);
  await context.close();
});

test('a browser that allows no notifications is asked on a click alone, and says so', async () => {
  const { context, page, wrong } = await open(`/p/${jar.publisher}`, (of) =>
    of.addInitScript(`globalThis.asked = 0;
      const ask = Notification.requestPermission.bind(Notification);
      Notification.requestPermission = () => { globalThis.asked += 1; return ask(); };`),
  );
  const button = page.getByRole('button', { name: 'Notify me in this browser' });
  await button.waitFor();
  expect(await page.evaluate('globalThis.asked')).toBe(0);
  await button.click();
  await page.getByText('This browser does not allow notifications of this site.').waitFor();
  expect(await page.evaluate('globalThis.asked')).toBe(1);
  expect(await button.getAttribute('aria-pressed')).toBe('false');
  expect(wrong).toEqual([]);
  await context.close();
});

test('a page says what changed since the last visit, and the host learns of no visit', async () => {
  const path = `/a/testnet/${jar.serviceType}`;
  const { context, page, wrong } = await open(path);
  const since = page.locator('#since');
  await page.waitForFunction(`localStorage.getItem('visits') !== null`);
  expect(await since.innerText()).toBe('');
  /** Changes the listing while no page shows it: a page that does would follow the change, and remember it as seen. */
  const changeUnseen = async (change: () => Promise<unknown>, isQuarantined: boolean) => {
    await page.goto('about:blank');
    await change();
    await eventually(async () => {
      const served = await (await fetch(site + path)).text();
      expect(served.includes('quarantined&quot;:true')).toBe(isQuarantined);
    });
    await page.goto(site + path);
  };
  await changeUnseen(() => quarantine(gateway.db.pool, decision(jar.serviceType)), true);
  await since.getByText('The operator put it in quarantine.').waitFor();
  await expectFit(page);
  const fixed = { ...decision(jar.serviceType), reason: 'Fixed' };
  await changeUnseen(() => release(gateway.db.pool, fixed), false);
  await since.getByText('It is no longer in quarantine.').waitFor();
  await page.reload();
  await page.waitForFunction(`document.documentElement.dataset.ready === ''`);
  expect(await since.innerText()).toBe('');
  expect(await context.cookies()).toEqual([]);
  expect(wrong).toEqual([]);
  await context.close();
});

test('a reader compares two adaptors, from the page of one', async () => {
  const { context, page, wrong } = await open(`/a/testnet/${jar.serviceType}`);
  await page.getByRole('link', { name: 'compare it' }).click();
  await expectFit(page);
  await page.getByRole('searchbox', { name: 'Search adaptors' }).last().fill('other');
  await page.locator('main').getByRole('button', { name: 'Search' }).click();
  await page.locator('main').getByRole('link', { name: 'Other' }).click();
  await page.getByRole('columnheader', { name: 'Jar' }).waitFor();
  await page.getByRole('columnheader', { name: 'Other' }).waitFor();
  await expectFit(page);
  expect(wrong).toEqual([]);
  await context.close();
});

test('a reader reports a listing, and the operator reads and dismisses the report', async () => {
  const { context, page, wrong } = await open(`/a/testnet/${jar.serviceType}`);
  await page.getByRole('link', { name: 'Report this listing' }).click();
  await page.getByLabel('What is wrong').selectOption('misleading');
  const words = 'It says <b>nothing</b> of its fee.';
  await page.getByLabel('In your words').fill(words);
  await expectFit(page);
  await page.getByRole('button', { name: 'Report it' }).click();
  await page.getByText('The operator will read it.').waitFor();

  await page.goto(`${site}/operator/listings`);
  await page.getByLabel('Admin secret').fill(adminSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const part = page.locator('section.part', { hasText: 'Reports of readers' });
  await part.getByText(words).waitFor();
  await part.getByRole('button', { name: 'Quarantine…' }).click();
  expect(await page.getByLabel('Service type or publisher').inputValue()).toBe(jar.serviceType);
  await dialogButton(page, 'Cancel').click();
  await part.getByRole('button', { name: 'Dismiss' }).click();
  await dialogButton(page, 'Dismiss').click();
  await part.getByText('No reports').waitFor();
  expect(wrong).toEqual([]);
  await context.close();
});
