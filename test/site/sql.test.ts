import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSqlRole } from '../../db/sql-role.ts';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { closePages, shareChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import { expectFit, openReader } from './browsing.ts';
import { readShift, recordShifts, shiftMax } from './layout-shift.ts';

const hostile = '</td><img src=x onerror=alert(1)>\u202egnp.exe';
let gateway: TestGateway;
/** The site as a person opens it. A session requires HTTPS or this host name. */
let site: string;
let key: string;
let browser: Browser;
beforeAll(async () => {
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 10_000, trustProxy: 1 };
  gateway = await startTestGateway(
    async (seed) => {
      await seed.source();
      await seed.listing({ manifest: { name: hostile } });
    },
    async (db) => ({ access, sqlDatabaseUrl: await createSqlRole(db.directUrl) }),
  );
  site = `http://localhost:${new URL(gateway.url).port}`;
  ({ key } = await issueTestKey(gateway.url, { ratePerMin: 100_000 }));
  browser = await shareChromium();
});
afterAll(async () => {
  await closePages(browser);
  await gateway?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const editorText = (page: Page) => page.locator('.cm-content');

/** Opens the page, with a statement in its address if one is given, and waits for the editor. */
async function openSql(sql?: string) {
  const opened = await openReader({ browser });
  await opened.page.goto(`${site}/sql${sql === undefined ? '' : `?sql=${encodeURIComponent(sql)}`}`);
  await editorText(opened.page).waitFor();
  return opened;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await button(page, 'Sign in').click();
  await button(page, 'Run').waitFor();
}

async function write(page: Page, sql: string): Promise<void> {
  await editorText(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(sql);
  await eventually(async () => expect(await page.locator('#statement').inputValue()).toBe(sql));
}

/** Faults of a page, without the refusals that a test provokes. */
const listFaults = (wrong: string[]) => wrong.filter((one) => !one.startsWith('Failed to load resource'));

test('the holder of a key gets a table, charts, a file and a link of a statement', async () => {
  const sql = `select day, n as uses from (values (date '2026-01-01', 1), (date '2026-01-03', 7)) v(day, n)`;
  const { page, context, wrong } = await openSql();
  await write(page, sql);
  await page.keyboard.press('ControlOrMeta+Enter');
  // The keys lead to the form, and nothing was sent.
  expect(await page.evaluate('document.activeElement.id')).toBe('secret');
  await signIn(page);
  await editorText(page).click();
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.getByText(/^2 rows in [\d,]+ ms/).waitFor();
  expect(await page.locator('#sql-portal .scroll').last().innerText()).toMatch(
    /day\s+uses\s+2026-01-01\s+1\s+2026-01-03\s+7/,
  );
  const chart = page.getByRole('slider', { name: 'uses: 7 on 2026-01-03' });
  await chart.focus();
  await page.keyboard.press('Home');
  expect(await page.locator('.reading').innerText()).toBe('2026-01-01: 1');
  await expectFit(page);

  const downloading = page.waitForEvent('download');
  await button(page, 'Download CSV').click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe('result.csv');
  expect(await readFile(await file.path(), 'utf8')).toBe('day,uses\r\n2026-01-01,1\r\n2026-01-03,7\r\n');
  expect(new URL(page.url()).searchParams.get('sql')).toBe(sql);
  expect(listFaults(wrong)).toEqual([]);
  await context.close();
});

test('texts of strangers in a result and in an address are text', async () => {
  const { page, context, wrong } = await openSql(`select name, '${hostile}' as "<b>" from adaptors`);
  await signIn(page);
  await button(page, 'Run').click();
  await page.getByText('1 row in').waitFor();
  const shown = await page.locator('#sql-portal .scroll').last().innerText();
  expect(shown).toContain('</td><img src=x onerror=alert(1)>[U+202E]gnp.exe');
  expect(shown).toContain('<b>');
  expect(await page.locator('main img').count()).toBe(0);
  expect(listFaults(wrong)).toEqual([]);
  await context.close();
});

test('a statement of an address runs only when the reader runs it', async () => {
  const { page, context, requests } = await openSql('select 41 + 1 as answer');
  await signIn(page);
  expect(await page.locator('#statement').inputValue()).toBe('select 41 + 1 as answer');
  await page.reload();
  await button(page, 'Run').waitFor();
  expect(requests.filter((url) => url.endsWith('/api/sql'))).toEqual([]);
  await button(page, 'Run').click();
  await page.getByRole('cell', { name: '42' }).waitFor();
  await context.close();
});

test('the editor completes views and columns, and leaves the tab key to the page', async () => {
  const { page, context, wrong } = await openSql();
  await write(page, '');
  await page.keyboard.type('select * from listing_v');
  await page.getByRole('option', { name: /listing_versions/ }).click();
  await eventually(async () => {
    expect(await page.locator('#statement').inputValue()).toBe('select * from listing_versions');
  });
  await page.keyboard.type(' where listing_versions.manifest_u');
  await page.getByRole('option', { name: /manifest_uri/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.id')).toBe('copy-link');
  expect(listFaults(wrong)).toEqual([]);
  await context.close();
});

test('a fault is marked where it is, and says line and column', async () => {
  const { page, context } = await openSql("select '😀',\n  nam from adaptors");
  await signIn(page);
  await button(page, 'Run').click();
  await page.getByText(/^At line 2, column 3: Column "nam" does not exist/).waitFor();
  expect(await page.locator('.cm-lintRange-error').innerText()).toBe('nam');
  await expectFit(page);
  await write(page, 'select 1 as one');
  await button(page, 'Run').click();
  await page.getByText('1 row in').waitFor();
  expect(await page.locator('.cm-lintRange-error').count()).toBe(0);
  await context.close();
});

test('a statement that runs is stopped, and another one runs', async () => {
  const digits = '(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))';
  const relations = Array.from({ length: 12 }, (_, at) => `${digits} t${at}(n${at})`).join(', ');
  const { page, context, wrong } = await openSql(`select count(*) from ${relations}`);
  await signIn(page);
  await button(page, 'Run').click();
  await button(page, 'Stop').click();
  await button(page, 'Stop').waitFor({ state: 'detached' });
  expect(await page.locator('#sql-portal .notice').count()).toBe(0);
  await write(page, 'select 1 as one');
  await button(page, 'Run').click();
  await page.getByText('1 row in').waitFor();
  expect(listFaults(wrong)).toEqual([]);
  await context.close();
});

test.each([360, 1_280])('nothing moves while the page loads at %i pixels', async (width) => {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  await recordShifts(page);
  await page.goto(`${site}/sql`);
  await editorText(page).waitFor();
  await page.getByLabel('API key').waitFor();
  expect(await readShift(page)).toBeLessThanOrEqual(shiftMax);
  await context.close();
});

test('without script the statement, the views and the examples are there', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site}/sql`);
  await page.getByRole('link', { name: 'Which agents earn most?' }).click();
  expect(await page.locator('#statement').inputValue()).toContain('from analytics.agent_earnings');
  await page.locator('summary', { hasText: 'agent_earnings' }).click();
  expect(await page.locator('details[open]').innerText()).toContain('first_paid_at timestamptz');
  await context.close();
});

test('without script a form runs the statement with a key, and shows its rows or its fault', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const submit = async (sql: string, secret = key) => {
    await page.goto(`${site}/sql?sql=${encodeURIComponent(sql)}`);
    await page.getByLabel('API key').fill(secret);
    await button(page, 'Run').click();
    return await page.locator('main').innerText();
  };
  expect(await submit('select name, 41 + 1 as answer from adaptors')).toMatch(
    /1 row\.\s+name\s+answer\s+<\/td><img src=x onerror=alert\(1\)>\[U\+202E\]gnp\.exe\s+42/,
  );
  expect(await page.locator('#statement').inputValue()).toBe('select name, 41 + 1 as answer from adaptors');
  expect(await page.content()).not.toContain(key);
  const digits = '(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9))';
  expect(await submit(`select a.n from ${digits} a(n), ${digits} b(n), ${digits} c(n)`)).toContain(
    'The first 200 rows.',
  );
  expect(await submit('select nam from adaptors')).toContain('Column "nam" does not exist');
  expect(await submit('select 1', `mk_${'x'.repeat(43)}`)).toContain('key');
  expect(await page.locator('.notice.danger').count()).toBe(1);
  await context.close();
});
