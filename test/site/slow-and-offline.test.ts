import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Demo, dialogButton, expectFit, openReader, startDemo } from './browsing.ts';

/* Pages on a slow connection, without one, and while parts of their script are missing. */

let site: Demo;
beforeAll(async () => {
  const env = { REDIS_URL: 'memory:', MARKETPLACE_ANON_RPM: '100000' };
  site = await startDemo(['localnet', 'indexer', 'gateway'], env);
});
afterAll(() => site?.close());

async function openPage(prepare: (page: Page) => Promise<unknown> = async () => undefined): Promise<Page> {
  const { page, context } = await openReader(site);
  onTestFinished(() => context.close());
  await prepare(page);
  return page;
}

const at = (path: string) => site.demo.baseUrl + path;
const toast = (page: Page) => page.locator('#toast.shown');
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');

/** Holds the matching requests until they are let through. */
async function hold(page: Page, pattern: RegExp): Promise<() => void> {
  const through = Promise.withResolvers<void>();
  await page.route(pattern, async (route: Route) => {
    await through.promise;
    await route.continue().catch(() => undefined);
  });
  return through.resolve;
}

/** Marks the document, so that a reload shows. */
const mark = (page: Page) => page.evaluate('void (window.marked = true)');
const isMarked = (page: Page) => page.evaluate<boolean>('window.marked === true');

test('after connecting on /wallet the dialog stays, and the page shows the wallet of the address without a reload', async () => {
  const page = await openPage();
  await page.goto(at('/wallet'));
  await mark(page);
  await page.locator('#start').getByRole('button', { name: 'Connect' }).click();
  await dialogButton(page, 'Demo wallet').click();
  await page.locator('#owned', { hasText: 'This address has no wallet here' }).waitFor({ state: 'attached' });
  expect(await page.locator('dialog').innerText()).toContain('A toy for this local network');
  expect(new URL(page.url()).searchParams.get('owner')).toMatch(/^0x[0-9a-f]{64}$/);
  await dialogButton(page, 'Get coins from the faucet').click();
  await page.locator('dialog .balance', { hasText: '1,000 SUI' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  // The button that opened the dialog is gone.
  await eventually(async () => expect(await focused(page)).toBe('connect'));
  await page.getByRole('button', { name: 'Open a wallet' }).waitFor();
  expect(await isMarked(page)).toBe(true);
});

test('Escape in the dialog of wallets returns the focus to the button that opened it', async () => {
  const page = await openPage();
  await page.goto(at('/wallet'));
  for (const button of [page.locator('#connect'), page.locator('#start [data-connect]')]) {
    await button.focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog h2').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await button.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true),
    );
  }
});

test('a click on Connect before the script has come is heard, said, and done once it has', async () => {
  const page = await openPage();
  const go = await hold(page, /\/assets\/frame-/);
  await page.goto(at('/wallet'), { waitUntil: 'commit' });
  await page.locator('#connect').click();
  await toast(page).getByText('Loading the code of wallets…').waitFor();
  go();
  await page.locator('dialog h2', { hasText: 'Connect a wallet' }).waitFor();
  await eventually(async () => expect(await toast(page).count()).toBe(0));
});

test('while the code of wallets loads the page says so, and when it does not come, what to do', async () => {
  const page = await openPage();
  await page.goto(at('/errors'));
  await eventually(async () =>
    expect(await page.evaluate('document.documentElement.dataset.ready')).toBe(''),
  );
  const go = await hold(page, /\/assets\/part-/);
  await page.locator('#connect').click();
  await toast(page).getByText('Loading the code of wallets…').waitFor();
  expect(await page.locator('#connect').isEnabled()).toBe(true);
  go();
  await page.locator('dialog h2').waitFor();

  const other = await openPage();
  await other.goto(at('/errors'));
  await eventually(async () =>
    expect(await other.evaluate('document.documentElement.dataset.ready')).toBe(''),
  );
  await other.route(/\/assets\/part-/, (route) => route.abort());
  await other.locator('#connect').click();
  await toast(other).getByText('could not be loaded. Check that you are online').waitFor();
  await other.unrouteAll();
  await other.reload();
  await other.locator('#connect').click();
  await other.locator('dialog h2').waitFor();
});

test('a page that reads what it asks before it opens a dialog says so, and stops once the dialog is open', async () => {
  const page = await openPage();
  await page.goto(at('/wallet'));
  await page.locator('#connect').click();
  await dialogButton(page, 'Demo wallet').click();
  await dialogButton(page, 'Close').click();
  const open = page.getByRole('button', { name: 'Open a wallet' });
  await open.waitFor();
  await eventually(async () => expect(await toast(page).count()).toBe(0));
  const go = await hold(page, /sui\.rpc\.v2/);
  await open.click();
  await toast(page).getByText('Reading what you will sign…').waitFor();
  go();
  await page.locator('dialog h2', { hasText: 'Open a wallet' }).waitFor();
  await eventually(async () => expect(await toast(page).count()).toBe(0));
});

test('a page says that it is offline until it is online, whatever it says meanwhile', async () => {
  const page = await openPage();
  await page.goto(at('/errors'));
  await page.locator('#connect').click();
  await page.locator('dialog h2').waitFor();
  await page.keyboard.press('Escape');
  await page.context().setOffline(true);
  const offline = toast(page).getByText('You are offline');
  await offline.waitFor();
  // Its code is loaded already.
  await page.locator('#connect').click();
  await page.locator('dialog h2').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await offline.count()).toBe(1);
  await page.context().setOffline(false);
  await eventually(async () => expect(await toast(page).count()).toBe(0));
});

test('a dialog whose content is replaced has the focus', async () => {
  const page = await openPage();
  await page.goto(at('/errors'));
  await page.locator('#connect').click();
  await dialogButton(page, 'Demo wallet').focus();
  await page.keyboard.press('Enter');
  await dialogButton(page, 'Get coins from the faucet').waitFor();
  await eventually(async () => expect(await focused(page)).toBe('dialog-title'));
});

test('a search that gets no answer says so, marks the earlier results, and is answered once the site is back', async () => {
  const page = await openPage();
  await page.goto(at('/'));
  await page.context().setOffline(true);
  await toast(page).getByText('You are offline').waitFor();
  await page.locator('#q').fill('tide');
  const state = page.locator('#search-state');
  await state.getByText('what you see below is an earlier search').waitFor();
  expect(await page.locator('#results.outdated .card').count()).toBeGreaterThan(1);
  await expectFit(page);
  await page.context().setOffline(false);
  await eventually(async () => {
    expect(await page.locator('#results:not(.outdated) .card h2').allInnerTexts()).toEqual(['Tide Staking']);
    expect(await state.innerText()).toBe('');
    expect(await toast(page).count()).toBe(0);
  });

  const go = await hold(page, /\?q=reef/);
  await page.locator('#q').fill('reef');
  await state.getByText('Searching…').waitFor();
  go();
  await eventually(async () => expect(await state.innerText()).toBe(''));
});

test('a wallet page that cannot be read again says so, and reads it when asked', async () => {
  const page = await openPage();
  await page.goto(at('/wallet'));
  await page.route(/\/wallet\?network=/, (route) => route.abort());
  await page.locator('#connect').click();
  await dialogButton(page, 'Demo wallet').click();
  await page.locator('#messages', { hasText: 'This site does not answer' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await page.unrouteAll();
  await page.locator('#messages').getByRole('button', { name: 'Try again' }).click();
  await page.locator('#owned', { hasText: 'This address has no wallet here' }).waitFor();
  expect(await page.locator('#messages').innerText()).toBe('');
});

/** Every page with a script of its own. */
const islands = () => {
  const { owner, venues, jobId } = site.demo;
  const { serviceType } = venues.vault;
  return [
    '/',
    `/a/testnet/${serviceType}`,
    `/wallet?owner=${owner.address}`,
    `/wallet/grant?service=${serviceType}`,
    '/publish',
    `/jobs/${jobId}`,
    '/jobs/hire',
    '/runs',
    '/webhooks',
    '/operator',
  ];
};

test('whatever part of its script is missing, a page says that it is not complete and what to do', async () => {
  for (const path of islands()) {
    const page = await openPage((one) => one.route(/\/assets\/(?!frame).*\.js/, (route) => route.abort()));
    await page.addInitScript(`localStorage.setItem('wallet-address', '0x${'1'.repeat(64)}')`);
    await page.goto(at(path));
    await toast(page).getByText('Check that you are online, and reload the page.').waitFor();
    for (const text of await page.locator('[data-loading]').allInnerTexts()) {
      expect(text, path).toContain('could not be loaded');
    }
  }
});

test('on a slow connection every page says what it waits for, and completes', async () => {
  for (const path of islands()) {
    const page = await openPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const bytesPerSecond = 100_000;
    const slow = {
      offline: false,
      latency: 150,
      downloadThroughput: bytesPerSecond,
      uploadThroughput: bytesPerSecond,
    };
    await session.send('Network.emulateNetworkConditions', slow);
    await page.goto(at(path), { waitUntil: 'commit' });
    await page.locator('#connect').click();
    await toast(page).getByText('Loading').waitFor();
    await page.locator('dialog h2', { hasText: 'Connect a wallet' }).waitFor();
    await page.keyboard.press('Escape');
    await eventually(async () => {
      expect(await page.locator('[data-loading]:visible').count(), path).toBe(0);
      expect(await toast(page).count(), path).toBe(0);
    });
  }
});

test('a page says that it is not kept up to date where the service refuses it a stream, until it is given one', async () => {
  const url = `/graphql?${new URLSearchParams({ query: 'subscription { eventAdded { cursor } }' })}`;
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const openStream = async () => {
    const { status } = await fetch(at(url), {
      headers: { accept: 'text/event-stream' },
      signal: stopped.signal,
    });
    return status;
  };
  // An address may have 100 streams. Those of pages that closed just now may still be among them.
  await Promise.all(
    Array.from({ length: 100 }, () => eventually(async () => expect(await openStream()).toBe(200))),
  );
  const page = await openPage();
  await page.clock.install();
  await page.goto(at('/'));
  const said = toast(page).filter({ hasText: 'refused to keep this page up to date' });
  await said.waitFor();
  expect(await said.innerText()).toContain('Close other pages');
  stopped.abort();
  await eventually(async () => {
    await page.clock.fastForward(31_000);
    expect(await said.count()).toBe(0);
  });
});

test('a page says why the service does not know its subscription', async () => {
  const page = await openPage((opened) =>
    opened.addInitScript(() => {
      const { EventSource: Real } = globalThis as unknown as { EventSource: new (url: string) => object };
      Object.assign(globalThis, {
        EventSource: class extends Real {
          constructor(url: string) {
            super(url.replace('adaptorChanged', 'adaptorChangd'));
          }
        },
      });
    }),
  );
  await page.goto(at('/'));
  await toast(page)
    .filter({ hasText: /not kept up to date: .*adaptorChang.* Reload the page/ })
    .waitFor();
});
