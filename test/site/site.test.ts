import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import { type Demo, expectAccessible, expectTargets, expectWidths, openPage, startDemo } from './browsing.ts';
import { demoPages, unboundedPages } from './demo-pages.ts';
import { visitPage } from './visit-page.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let demo: Demo['demo'];
let pages: Record<string, string>;
/** The browser's tabs for pages that are only read, with scripts and without. Closing a context costs more than a tab. */
let tabs: { scripted: BrowserContext; plain: BrowserContext };
const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(async () => {
  ({ demo } = world);
  pages = await demoPages(demo.baseUrl);
  tabs = {
    scripted: await world.browser.newContext({ viewport: { width: 1_280, height: 900 } }),
    plain: await world.browser.newContext({ javaScriptEnabled: false }),
  };
});

/** Names of the pages, which are needed before the demo runs. */
const names = [
  ...[
    'catalog',
    'catalog-search',
    'catalog-empty',
    'adaptor',
    'adaptor-unverified',
    'compare',
    'compare-choose',
    'report',
    'review',
    'check',
    'check-source',
    'source',
    'publisher',
    'agents',
    'agent',
    'explorer',
  ],
  ...['jobs', 'jobs-empty', 'job', 'hire', 'runs', 'run'],
  ...['publish', 'wallet', 'wallet-owner', 'grant'],
  ...['webhooks', 'webhook', 'webhook-events'],
  ...[
    'guides',
    'guides-search',
    'guide',
    'record',
    'docs',
    'operation',
    'schema',
    'sql',
    'operator',
    'status',
    'errors',
    'error',
  ],
];
async function open(context: BrowserContext, path: string) {
  const opened = await openPage(context);
  await opened.page.goto(demo.baseUrl + path, { waitUntil: 'load' });
  return opened;
}

test('every page of the list is opened', () =>
  expect(Object.keys(pages).toSorted()).toEqual(names.toSorted()));

// The pages are independent, so several run at a time and use all cores.
test.concurrent.each(names)(
  '%s is accessible in both modes, violates no policy, asks no other origin, and fits each width with targets that a finger hits',
  async (name) => {
    const { page, wrong, requests } = await open(tabs.scripted, pages[name]!);
    await expectAccessible(page);
    await expectTargets(page);
    await expectWidths(page);
    const own = (url: string) => url.startsWith(`${demo.baseUrl}/`) || url.startsWith('data:');
    expect(requests.filter((url) => !own(url))).toEqual([]);
    expect(wrong).toEqual([]);
    await page.close();
  },
);

test.concurrent.each(names)('nothing on %s moves while it loads on a phone', async (name) => {
  const url = demo.baseUrl + pages[name]!;
  expect(await visitPage(world.browser, url, { width: 390, bounded: false, async draw() {} })).toEqual([]);
});

test.concurrent.each(names)('%s shows the same text without script', async (name) => {
  const { page, wrong } = await open(tabs.plain, pages[name]!);
  expect(await page.locator('main h1').first().innerText()).not.toBe('');
  expect((await page.locator('main').innerText()).length).toBeGreaterThan(100);
  // Controls that need scripts are hidden.
  expect(await page.locator('button.theme, [data-script]').filter({ visible: true }).count()).toBe(0);
  expect(wrong).toEqual([]);
  await page.close();
});

/** Compressed size of a file and of its static imports. */
async function measureSize(source: string, seen: Set<string>): Promise<number> {
  if (seen.has(source)) return 0;
  seen.add(source);
  const answer = await fetch(demo.baseUrl + source, { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers.get('cache-control')).toContain('immutable');
  const imports = [...(await answer.text()).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)];
  const below = await Promise.all(imports.map(([, name]) => measureSize(`/assets/${name}`, seen)));
  return Number(answer.headers.get('content-length')) + below.reduce((sum, bytes) => sum + bytes, 0);
}

async function sumSizes(sources: readonly string[]): Promise<number> {
  expect(sources.length).toBeGreaterThan(0);
  const seen = new Set<string>();
  const sizes = await Promise.all(sources.map((source) => measureSize(source, seen)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

test.each(names.filter((name) => !unboundedPages.has(name)))(
  '%s is small: HTML below 60 kB and 15 kB compressed, script below 100 kB and style below 15 kB compressed',
  async (name) => {
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    const answer = await fetch(demo.baseUrl + pages[name]!, { headers });
    const html = await answer.text();
    expect(Buffer.byteLength(html)).toBeLessThan(60_000);
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(15_000);
    const urls = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, url]) => url!);
    const scripts = urls(/<script[^>]* src="([^"]+)"/g);
    expect(await sumSizes(scripts)).toBeLessThan(100_000);
    expect(await sumSizes(urls(/<link rel="stylesheet" href="([^"]+)"/g))).toBeLessThan(15_000);
    // A script in the head without `type="module"` would delay the first paint.
    expect(html).not.toMatch(/<script (?!type="module")[^>]*src=/);
  },
);

describe('the catalog', () => {
  let page: Page;
  let context: BrowserContext;
  beforeAll(async () => {
    context = await world.browser.newContext();
    ({ page } = await open(context, '/'));
  });
  afterAll(() => context.close());

  test('has its filters beside the adaptors on a desktop, and above them on a phone', async () => {
    const measureBox = async (selector: string) => (await page.locator(selector).first().boundingBox())!;
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const [rail, card] = [await measureBox('#rail'), await measureBox('.card')];
      expect(card.width).toBeGreaterThan(width / 2);
      expect(card.x >= rail.x + rail.width, `beside, at ${width}`).toBe(width === 1_280);
      expect(card.y >= rail.y + rail.height, `below, at ${width}`).toBe(width === 360);
    }
    await page.setViewportSize({ width: 1_280, height: 900 });
  });

  test('shows on a phone how many adaptors each category has, and each value of the other filters on request', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const stake = page.getByRole('link', { name: 'Stake 2', exact: true });
    const box = (await stake.locator('.muted').boundingBox())!;
    expect(box.width).toBeGreaterThan(0);
    expect(box.x + box.width).toBeLessThanOrEqual(360);
    const coins = page.locator('#rail section', {
      has: page.getByRole('heading', { name: 'Coin', exact: true }),
    });
    expect(await coins.isVisible()).toBe(false);
    await page.getByText('More filters').click();
    for (const count of await coins.locator('a .muted').all()) {
      const { x, width } = (await count.boundingBox())!;
      expect([width > 0, x + width <= 360]).toEqual([true, true]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.getByText('More filters').click();
    await page.setViewportSize({ width: 1_280, height: 900 });
  });

  test('searches as one types, and the url is the state', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('tide');
    await eventually(async () => {
      expect(await page.locator('.card h2').allInnerTexts()).toEqual(['Tide Staking']);
      expect(new URL(page.url()).searchParams.get('q')).toBe('tide');
    });
    await page.reload();
    expect(await page.locator('.card h2').allInnerTexts()).toEqual(['Tide Staking']);
    expect(await page.locator('#q').inputValue()).toBe('tide');
  });

  test('filters and sorts by links and fields that work without script', async () => {
    const plain = await world.browser.newContext({ javaScriptEnabled: false });
    const { page } = await open(plain, '/');
    await page.getByRole('link', { name: 'Stake 2', exact: true }).click();
    expect((await page.locator('.card h2').allInnerTexts()).toSorted()).toEqual([
      'Reef Vault',
      'Tide Staking',
    ]);
    await page.locator('select[name=sort]').selectOption('rating');
    await page.getByRole('button', { name: 'Search' }).click();
    expect(await page.locator('.card h2').allInnerTexts()).toEqual(['Tide Staking', 'Reef Vault']);
    expect(new URL(page.url()).searchParams.get('category')).toBe('Stake');
    await plain.close();
  });
});

test('the catalog shows a new listing without reload', async () => {
  const context = await world.browser.newContext();
  const { page, wrong } = await open(context, '/');
  const [, before] = /(\d+) adaptors/.exec(await page.locator('.found').innerText())!;
  const env = { ...process.env, DATA_DIR: world.dataDir };
  await run(process.execPath, [join(root, 'docs/examples/list-an-adaptor.ts')], { env });
  await page
    .locator('.found')
    .getByText(`${Number(before) + 1} adaptors`)
    .waitFor();
  expect(wrong).toEqual([]);
  await context.close();
});

test('every field of a form has the colors of the site', async () => {
  const context = await world.browser.newContext({ colorScheme: 'dark' });
  const { page } = await open(context, pages.check!);
  const readColor = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  expect(await readColor('#node')).toBe(await readColor('header.site .find input'));
  await context.close();
});

test('the tables of a document fit a phone beside their longest paths', async () => {
  const context = await world.browser.newContext({ viewport: { width: 390, height: 900 } });
  const { page } = await open(context, pages.guide!);
  const excess = `[...document.querySelectorAll('.scroll:has(> table)')].map((one) => one.scrollWidth - one.clientWidth)`;
  expect(Math.max(...(await page.evaluate<number[]>(excess)))).toBe(0);
  await context.close();
});

describe('the page of an adaptor', () => {
  test('recomputes the hash of the manifest in the browser', async () => {
    const context = await world.browser.newContext();
    const { page, wrong } = await open(context, pages.adaptor!);
    await page.getByRole('button', { name: 'Verify the hash' }).click();
    await page.getByText('This browser computed the same hash').waitFor();
    expect(wrong).toEqual([]);
    await page.route('**/api/adaptors/**', async (route) => {
      const answer = await route.fetch();
      const listing = await answer.json();
      listing.adaptor.manifest.feeBps = 0;
      await route.fulfill({ response: answer, json: listing });
    });
    await page.getByRole('button', { name: 'Verify the hash' }).click();
    await page.getByText('Do not trust this page').waitFor();
    await context.close();
  });

  test('names the type of an object that an operation takes, as its code shows it', async () => {
    const context = await world.browser.newContext({ javaScriptEnabled: false });
    const { page } = await open(context, `/a/testnet/${demo.venues.swap.serviceType}`);
    await eventually(async () => {
      await page.reload();
      const words = await page.locator('section[aria-labelledby=may-do]').innerText();
      expect(words).toMatch(/changes the object 0x\w{4}…\w{4} \(\w+::\w+(?:<…>)? of [^)]+\)/);
      expect(await page.locator('#operations').innerText()).toMatch(
        /the object \w+::\w+(?:<…>)? of .+ that it changes:\s+0x/,
      );
    });
    await context.close();
  });

  test('warns of a publisher who is not verified, with the reason', async () => {
    const context = await world.browser.newContext({ javaScriptEnabled: false });
    const { page } = await open(context, pages['adaptor-unverified']!);
    const warning = page.locator('.notice.danger');
    expect(await warning.innerText()).toContain('neither published the package nor owns its UpgradeCap');
    const parts = await page.locator('main').innerText();
    for (const part of ['no use of its own', 'no reviews of its own', 'There is no button to use it']) {
      expect(parts).toContain(part);
    }
    expect(await page.locator('a.button').filter({ hasText: 'Use this adaptor' }).count()).toBe(0);
    await context.close();
  });
});

describe('the reviews of an adaptor', () => {
  const all = ['2 of 5', '1 of 5'];
  const scores = (page: Page) => page.locator('#reviews tbody td:first-child').allInnerTexts();
  const path = () => `/a/testnet/${demo.venues.swap.serviceType}`;

  test('are all of them, or those of wallets that used it before, by a link that needs no script', async () => {
    const context = await world.browser.newContext({ javaScriptEnabled: false });
    const { page } = await open(context, path());
    expect((await scores(page)).toSorted()).toEqual(all.toSorted());
    await page.getByRole('link', { name: 'Verified (1)' }).click();
    expect(await scores(page)).toEqual(['2 of 5']);
    expect(await page.locator('#reviews tbody').innerText()).toContain('Used it before');
    await context.close();
  });

  test('show their text, which the indexer has fetched, as the words of the reviewer', async () => {
    const context = await world.browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    });
    const { page } = await open(context, path());
    await eventually(async () => {
      await page.reload();
      expect(await page.locator('#reviews .review-text').allInnerTexts()).toEqual([
        'The trade went through, but the price was 2 % worse than the page of the pool said. Compare both before you sign.',
      ]);
    });
    expect(await page.locator('#reviews').innerText()).toContain('the reviewers’ own words');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    const reviews = `/api/adaptors/${encodeURIComponent(demo.venues.swap.serviceType)}/reviews?network=testnet`;
    const answer = await (await fetch(demo.baseUrl + reviews)).json();
    expect(
      answer.reviews.map(({ score, text }: { score: number; text: string | null }) => [score, text]),
    ).toEqual(
      expect.arrayContaining([
        [2, expect.stringMatching(/^The trade .*said\.\nCompare/)],
        [1, null],
      ]),
    );
    await context.close();
  });

  test('change in their place with script, and the url is the state', async () => {
    const context = await world.browser.newContext();
    const { page, wrong } = await open(context, path());
    await page.evaluate('globalThis.sameDocument = true');
    await page.getByRole('link', { name: 'Verified (1)' }).click();
    await eventually(async () => expect(await scores(page)).toEqual(['2 of 5']));
    expect(new URL(page.url()).searchParams.get('reviews')).toBe('verified');
    await page.getByRole('link', { name: 'All (2)' }).click();
    await eventually(async () => expect((await scores(page)).toSorted()).toEqual(all.toSorted()));
    expect(await page.evaluate('globalThis.sameDocument')).toBe(true);
    expect(wrong).toEqual([]);
    await context.close();
  });
});

test('an unknown adaptor, publisher, network and a bad cursor are pages that say what to do', async () => {
  const context = await world.browser.newContext();
  for (const [path, status] of [
    ['/a/testnet/0x2::no::No', 404],
    ['/p/0x1', 404],
    ['/?network=devnet', 404],
    ['/?cursor=x', 400],
  ] as const) {
    const page = await context.newPage();
    const answer = await page.goto(demo.baseUrl + path);
    expect([path, answer?.status()]).toEqual([path, status]);
    expect(await page.locator('main').innerText()).toContain('What to do');
    await page.close();
  }
  await context.close();
});

test('the mode that a reader chooses stays', async () => {
  const context = await world.browser.newContext({ colorScheme: 'light' });
  const { page } = await open(context, '/');
  const mode = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  expect(await mode()).toBe('light dark');
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  expect(await mode()).toBe('dark');
  await page.reload();
  expect(await mode()).toBe('dark');
  await context.close();
});
