import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import axe, { type AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { closePages, shareChromium } from '../support/chromium.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { walletScript } from '../support/wallet/script.ts';

/** The demo, as `npm start` runs it, and a browser. */
export interface Demo extends DemoMarketplace {
  browser: Browser;
}

/** @param env settings beyond those of `npm start` */
export async function startDemo(roles: string[], env: Record<string, string> = {}): Promise<Demo> {
  const [marketplace, browser] = await Promise.all([startDemoMarketplace(roles, env), shareChromium()]);
  return {
    ...marketplace,
    browser,
    async close() {
      await closePages(browser);
      await marketplace.close();
    },
  };
}

/** A page with a wallet that signs with one of the demo's keys. */
export interface Reader {
  page: Page;
  context: BrowserContext;
  /** Errors that the browser reported for the pages. */
  wrong: string[];
  /** URLs of all requests. */
  requests: string[];
}

/** @param secretKey key of the wallet; if absent, the browser has no wallet */
export async function openReader({ browser }: Pick<Demo, 'browser'>, secretKey?: string): Promise<Reader> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  if (secretKey !== undefined)
    await context.addInitScript(await walletScript({ secretKey, name: 'Test wallet', network: 'localnet' }));
  return { context, ...(await openPage(context)) };
}

/** Timeout of all waits. The slowest machine must not reach it while it still works. */
const patienceMs = 240_000;

/** Opens a page, and records the errors that the browser reports for it and its requests. */
export async function openPage(context: BrowserContext): Promise<Omit<Reader, 'context'>> {
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const wrong: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  return { page, wrong, requests };
}

export const dialogButton = (page: Page, name: string) =>
  page.locator('dialog').getByRole('button', { name });

export async function connectWallet(page: Page): Promise<void> {
  await page.locator('#connect').click();
  await dialogButton(page, 'Test wallet').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

/**
 * Signs the transaction in the dialog. Returns its digest.
 * @throws Error with the text of the dialog if the transaction was refused
 */
export async function signShown(page: Page): Promise<string> {
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog .notice').waitFor();
  const shown = page.locator('dialog');
  if ((await shown.locator('.notice.good').count()) === 0)
    throw new Error(`The transaction was refused: ${await shown.innerText()}`);
  const digest = await shown.locator('.digest').innerText();
  await dialogButton(page, 'Close').click();
  return digest;
}

/** Switches the wallet of a page to another account. */
export const switchAccount = (page: Page, secretKey: string): Promise<unknown> =>
  page.evaluate(`globalThis.switchAccount('${secretKey}')`);

/** Signs a transaction outside of the browser. Returns the ids of created objects by their types. */
export async function signDirectly(
  { demo }: Pick<Demo, 'demo'>,
  secretKey: string,
  append: (tx: Transaction) => void,
): Promise<{ id: string; type: string }[]> {
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  const tx = new Transaction();
  append(tx);
  const executed = await client.signAndExecuteTransaction({
    transaction: tx,
    signer: Ed25519Keypair.fromSecretKey(secretKey),
    include: { effects: true, objectTypes: true },
  });
  const { effects, objectTypes, digest } = executed.Transaction!;
  await client.waitForTransaction({ digest });
  return effects.changedObjects
    .filter(({ idOperation }) => idOperation === 'Created')
    .map(({ objectId }) => ({ id: objectId, type: objectTypes[objectId] ?? 'package' }));
}

/** The rules that depend on colors. Only these are checked in the dark mode. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Condition of a page whose islands are loaded. The message of one that takes long fades out, and is low in contrast then. */
const isLoaded = `![...document.querySelectorAll('#toast.shown, [data-loading]')].some(
  (one) => one.checkVisibility() && one.textContent.startsWith('Loading'),
)`;

/**
 * Script that resolves when listeners know the mode, which is by the next frame, and the transitions that run have ended: the
 * colors of one are those of neither state.
 */
const settleColors = `new Promise(requestAnimationFrame).then(() => Promise.allSettled(
  document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished),
)).then(() => undefined)`;

/**
 * Expects no serious accessibility fault in either mode. The scanner is loaded once for each document: its own driver for
 * playwright loads it twice for each scan.
 * @param parts `own` leaves out the explorer, which a scan may find half loaded
 */
export async function expectAccessible(page: Page, parts: 'own' | 'all' = 'own'): Promise<void> {
  await eventually(async () => expect(await page.evaluate(isLoaded)).toBe(true));
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(settleColors);
    const rules = colorScheme === 'dark' ? { runOnly: { type: 'rule', values: colorRules } } : {};
    const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
    const scan = `axe.run({ exclude: ${parts === 'own' ? '[[".foreign"]]' : '[]'} }, ${options})`;
    const { violations } = await page.evaluate<AxeResults>(scan);
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Script that returns the visible amounts whose sign, number and unit are in several lines. */
const findBrokenAmounts = `[...document.querySelectorAll('.amount')].filter((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return one.checkVisibility() && new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size > 1;
}).map((one) => one.textContent)`;

/** Expects a page without horizontal scrolling and with amounts in one line, on a phone, a tablet and a desktop. */
export async function expectWidths(page: Page): Promise<void> {
  for (const width of [360, 768, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.evaluate(findBrokenAmounts)).toEqual([]);
  }
}

/** Side of the smallest target that a finger hits (WCAG 2.2, 2.5.8), in pixels. */
const targetMin = 24;

/** Expects targets of at least 24 px in the header, the footer and the menus of a phone, and the sections in one line. */
export async function expectTargets(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 900 });
  const boxes = await page
    .locator('header.site :is(a, button, input), footer.site a, main nav:not(.foreign *) a')
    .filter({ visible: true })
    .evaluateAll((targets) =>
      (targets as unknown as { textContent: string; getBoundingClientRect(): DOMRectReadOnly }[]).map(
        (one) => {
          const { width, height } = one.getBoundingClientRect();
          return { name: one.textContent, width, height };
        },
      ),
    );
  expect(boxes.filter(({ width, height }) => Math.min(width, height) < targetMin)).toEqual([]);
  const tops = await page
    .locator('header.site nav[aria-label="Site"] a')
    .evaluateAll((links) =>
      (links as unknown as { getBoundingClientRect(): DOMRectReadOnly }[]).map(
        (one) => one.getBoundingClientRect().top,
      ),
    );
  expect(new Set(tops).size).toBe(1);
}

/** Expects no serious accessibility fault in either mode, and no horizontal scrolling. */
export async function expectFit(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectWidths(page);
}
