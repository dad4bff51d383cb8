import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DemoFile } from '../../services/demo/file.ts';
import { startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir, ready, type Service, startService } from '../support/service.ts';
import { demoPages } from './demo-pages.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let data: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let demo: DemoFile & { baseUrl: string };
let browser: Browser;
let pages: Record<string, string>;
beforeAll(async () => {
  data = await createDataDir();
  service = startService(data.dir, ['localnet', 'indexer', 'gateway']);
  [demo, browser] = await Promise.all([ready(service, data.dir), startChromium()]);
  pages = await demoPages(demo.baseUrl);
});
afterAll(async () => {
  await browser?.close();
  service.process.kill('SIGTERM');
  await service.exited;
  await data.remove();
});

/** The names of the pages, which stand before the demo runs. */
const names = [
  ...[
    'catalog',
    'catalog-search',
    'catalog-empty',
    'adaptor',
    'adaptor-unverified',
    'publisher',
    'agents',
    'agent',
  ],
  ...['jobs', 'jobs-empty', 'job', 'hire', 'runs', 'run'],
  ...['publish', 'wallet', 'wallet-owner', 'grant'],
  ...['webhooks', 'webhook', 'webhook-events'],
  ...['guides', 'guides-search', 'guide', 'record', 'docs', 'schema', 'operator', 'errors', 'error'],
];
/** Pages of a tool that is not ours, whose markup and size are its own. */
const foreign = new Set(['docs']);

/** A page with what the browser finds wrong with it, and every request that it makes. */
async function open(context: BrowserContext, path: string) {
  const page = await context.newPage();
  const wrong: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(demo.baseUrl + path, { waitUntil: 'load' });
  return { page, wrong, requests };
}

test('every page of the list is opened', () =>
  expect(Object.keys(pages).toSorted()).toEqual(names.toSorted()));

/** Only what depends on colors is looked for again in the other mode. */
const colorsAlone = 'cat.color';

describe.each(names)('%s', (name) => {
  test('has no serious fault of accessibility, in the light mode and in the dark', async () => {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    const { page } = await open(context, pages[name]!);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const scan = new AxeBuilder({ page });
      if (colorScheme === 'dark') scan.withTags(colorsAlone);
      const { violations } = await (foreign.has(name) ? scan.exclude('#swagger-ui') : scan).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
    await context.close();
  });

  test('violates no policy, asks no other origin, and fits into 1,280 and 360 pixels', async () => {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
    const { page, wrong, requests } = await open(context, pages[name]!);
    for (const width of [1_280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    expect(requests.filter((url) => !url.startsWith(`${demo.baseUrl}/`) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(wrong).toEqual([]);
    await context.close();
  });

  test('shows the same text without script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const { page, wrong } = await open(context, pages[name]!);
    expect(await page.locator('main h1').first().innerText()).not.toBe('');
    expect((await page.locator('main').innerText()).length).toBeGreaterThan(100);
    // What needs script does not show.
    expect(await page.locator('button.theme, [data-script]').filter({ visible: true }).count()).toBe(0);
    expect(wrong).toEqual([]);
    await context.close();
  });
});

/** A script with all that it imports when it is loaded. */
async function bytesOf(source: string, seen: Set<string>): Promise<number> {
  if (seen.has(source)) return 0;
  seen.add(source);
  const answer = await fetch(demo.baseUrl + source, { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers.get('cache-control')).toContain('immutable');
  const imports = [...(await answer.text()).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)];
  const below = await Promise.all(imports.map(([, name]) => bytesOf(`/assets/${name}`, seen)));
  return Number(answer.headers.get('content-length')) + below.reduce((sum, bytes) => sum + bytes, 0);
}

const ours = names.filter((name) => !foreign.has(name) && name !== 'schema');
test.each(ours)('%s is small: HTML below 60 kB, and script below 100 kB compressed', async (name) => {
  const html = await (await fetch(demo.baseUrl + pages[name]!, { headers: { accept: 'text/html' } })).text();
  expect(Buffer.byteLength(html)).toBeLessThan(60_000);
  const sources = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source!);
  expect(sources.length).toBeGreaterThan(0);
  const seen = new Set<string>();
  const sizes = await Promise.all(sources.map((source) => bytesOf(source, seen)));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
});

describe('the catalog', () => {
  let page: Page;
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext();
    ({ page } = await open(context, '/'));
  });
  afterAll(() => context.close());

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
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const { page } = await open(plain, '/');
    await page.getByRole('link', { name: 'Stake', exact: true }).click();
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
  const context = await browser.newContext();
  const { page, wrong } = await open(context, '/');
  const [, before] = /(\d+) adaptors/.exec(await page.locator('.found').innerText())!;
  const env = { ...process.env, DATA_DIR: data.dir };
  await run(process.execPath, [join(root, 'docs/examples/list-an-adaptor.ts')], { env });
  await page
    .locator('.found')
    .getByText(`${Number(before) + 1} adaptors`)
    .waitFor();
  expect(wrong).toEqual([]);
  await context.close();
});

describe('the page of an adaptor', () => {
  test('recomputes the hash of the manifest in the browser', async () => {
    const context = await browser.newContext();
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

  test('warns of a publisher who is not verified, with the reason', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const { page } = await open(context, pages['adaptor-unverified']!);
    const warning = page.locator('.notice.danger');
    expect(await warning.innerText()).toContain('neither published the package nor owns its UpgradeCap');
    await context.close();
  });
});

test('an unknown adaptor, publisher, network and a bad cursor are pages that say what to do', async () => {
  const context = await browser.newContext();
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
  const context = await browser.newContext({ colorScheme: 'light' });
  const { page } = await open(context, '/');
  const mode = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  expect(await mode()).toBe('light dark');
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  expect(await mode()).toBe('dark');
  await page.reload();
  expect(await mode()).toBe('dark');
  await context.close();
});
