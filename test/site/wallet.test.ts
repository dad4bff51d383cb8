import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DemoFile } from '../../services/demo/file.ts';
import { startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir, ready, type Service, startService } from '../support/service.ts';
import { walletScript } from '../support/wallet/script.ts';

let data: Awaited<ReturnType<typeof createDataDir>>;
let service: Service;
let demo: DemoFile & { baseUrl: string };
let browser: Browser;
let ownersWallet: string;
beforeAll(async () => {
  data = await createDataDir();
  service = startService(data.dir, ['localnet', 'indexer', 'gateway']);
  [demo, browser] = await Promise.all([ready(service, data.dir), startChromium()]);
  const { secretKey } = demo.owner;
  ownersWallet = await walletScript({ secretKey, name: 'Test wallet', network: 'localnet' });
});
afterAll(async () => {
  await browser?.close();
  service.process.kill('SIGTERM');
  await service.exited;
  await data.remove();
});

/** What the browser found wrong with the pages of a test, and where they sent requests. */
let wrong: string[];
let origins: Set<string>;
let context: BrowserContext;
let page: Page;
beforeEach(async () => {
  [wrong, origins] = [[], new Set()];
  context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  page = await newPage();
});
afterEach(async () => {
  await context.close();
  expect(wrong).toEqual([]);
  const own = [demo.baseUrl, demo.rpcUrl, demo.faucetUrl].map((url) => new URL(url).origin);
  expect([...origins].filter((origin) => !own.includes(origin))).toEqual([]);
});

async function newPage(): Promise<Page> {
  const opened = await context.newPage();
  opened.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  opened.on('pageerror', (error) => wrong.push(error.message));
  opened.on('request', (request) => {
    if (request.url().startsWith('http')) origins.add(new URL(request.url()).origin);
  });
  return opened;
}

const open = (path: string) => page.goto(demo.baseUrl + path, { waitUntil: 'load' });
const dialog = (name: string) => page.locator('dialog').getByRole('button', { name });

/** No serious fault of accessibility in both modes, and nothing that a phone must scroll to the side. */
async function expectFit(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.setViewportSize({ width: 1_280, height: 900 });
}

async function connect(name: string): Promise<void> {
  await page.locator('#connect').click();
  await dialog(name).click();
}

/** Signs what the dialog asks for, and returns the digest. */
async function signIt(): Promise<string> {
  await dialog('Sign in').click();
  await page.locator('dialog .notice.good').waitFor();
  const digest = await page.locator('dialog .digest').innerText();
  await dialog('Close').click();
  return digest;
}

test('a stranger publishes, lists, grants and revokes with nothing but a browser', async () => {
  await open('/publish');
  expect(await page.locator('.local').innerText()).toContain('toys');
  await connect('Demo wallet');
  expect(await page.locator('dialog').innerText()).toContain('A toy for this local network');
  await dialog('Get coins from the faucet').click();
  await page.locator('dialog .balance', { hasText: '1,000 SUI' }).waitFor();
  await expectFit();
  await dialog('Close').click();

  await page.getByRole('button', { name: 'Publish the sample package' }).click();
  expect(
    await page
      .locator('dialog .body')
      .getByText(/It costs about/)
      .innerText(),
  ).toMatch(/^You sign one transaction: publish\. It costs about [\d.]+ SUI\.$/);
  await signIt();
  await page.getByLabel('Name', { exact: true }).fill('Weekly Allowance');
  await page.locator('.preview h2', { hasText: 'Weekly Allowance' }).waitFor();
  const publish = page.getByRole('button', { name: 'Publish adaptor' });
  await eventually(async () => expect(await publish.isEnabled()).toBe(true));
  await expectFit();

  // What was entered is there after a reload, with what was found in the package.
  await page.reload();
  await eventually(async () => {
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Weekly Allowance');
    expect(await publish.isEnabled()).toBe(true);
  });
  expect(await page.evaluate('JSON.stringify(Object.entries(localStorage))')).not.toMatch(/suiprivkey/);

  await publish.click();
  await page.locator('dialog code', { hasText: 'registry::register' }).waitFor();
  await signIt();
  await page.getByText('Weekly Allowance is in the catalog').waitFor();
  await expectFit();
  await page.getByRole('link', { name: 'See the listing' }).click();
  expect(await page.locator('h1').innerText()).toBe('Weekly Allowance');
  const catalog = await (await fetch(`${demo.baseUrl}/api/adaptors`)).json();
  expect(catalog.adaptors.map(({ manifest }: { manifest: { name: string } }) => manifest.name)).toContain(
    'Weekly Allowance',
  );

  await page.getByRole('link', { name: 'Use this adaptor' }).click();
  const grantUrl = page.url();
  await page.getByRole('link', { name: 'Open a wallet' }).click();
  await page.getByRole('button', { name: 'Open a wallet' }).click();
  await page.getByLabel('Amount').fill('5');
  await dialog('Continue').click();
  await signIt();
  await page.locator('.balances', { hasText: '5 SUI' }).waitFor();

  await page.goto(grantUrl);
  await page.getByLabel('Amount').fill('0.5');
  await page.getByLabel('recipient').fill(demo.provider.address);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.locator('.trial').waitFor();
  expect(await page.locator('.trial tbody').innerText()).toMatch(/SUI\s+5 SUI\s+4\.5 SUI\s+− 0\.5/);
  expect(await page.locator('#granting').innerText()).toContain('A simulation promises nothing');
  await expectFit();
  // Nothing but the grant is signed.
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  const asked = page.locator('dialog .body');
  await asked.getByText(/It costs about/).waitFor();
  expect(await asked.innerText()).toMatch(/^You sign one transaction: wallet::grant_service_coin\./);
  expect(await asked.innerText()).toContain(
    'can take up to 0.5 SUI from your wallet, in total, until you revoke it',
  );
  await signIt();
  await page.getByRole('link', { name: 'See what you have allowed' }).click();
  expect(await page.locator('#grants').innerText()).toContain('It can take up to 0.5 SUI from your wallet');
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await signIt();
  await page.getByText('No service can take anything from this wallet').waitFor();

  await open('/publish');
  await page.getByRole('button', { name: 'Unlist' }).click();
  await signIt();
  await eventually(async () => expect(await page.getByRole('button', { name: 'Unlist' }).count()).toBe(0));
});

describe('the wallet of an owner', () => {
  const walletOf = (owner: string) => `/wallet?owner=${owner}`;

  test('is read without script, by everyone', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const read = await plain.newPage();
    await read.goto(demo.baseUrl + walletOf(demo.owner.address));
    const text = await read.locator('main').innerText();
    expect(text).toMatch(/It can take up to [\d.]+ SUI from your wallet, in total, until you revoke it\./);
    expect(text).toContain('A spend is opened by');
    expect(await read.locator('button[data-act]').filter({ visible: true }).count()).toBe(0);
    await plain.close();
  });

  test('names what is wrong with an address, and who has no wallet', async () => {
    await open('/wallet?owner=0xyz');
    expect(await page.locator('#owner-fault').innerText()).toContain('not an address');
    await open(walletOf(`0x${'9'.repeat(64)}`));
    expect(await page.locator('#wallet').innerText()).toContain('This address has no wallet here');
  });

  test('asks the chain nothing before someone connects', async () => {
    await open(walletOf(demo.owner.address));
    expect([...origins]).toEqual([new URL(demo.baseUrl).origin]);
  });

  test('a rejected signature changes nothing and can be given again; a revoke ends the grant on chain', async () => {
    await context.addInitScript(ownersWallet);
    page = await newPage();
    await open('/wallet');
    await connect('Test wallet');
    await page.waitForURL(/owner=/);
    await page.locator('.balances').waitFor();
    await expectFit();
    const row = page.locator('.allowed', { hasText: 'Tip Jar' }).first();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.evaluate('globalThis.rejectNext = true');
    await dialog('Sign in').click();
    await page.locator('dialog', { hasText: 'You rejected the signature' }).waitFor();
    expect(await page.locator('dialog').innerText()).toContain('Nothing was sent and nothing changed');
    await expectFit();
    await dialog('Try again').click();
    const digest = await signIt();
    await eventually(async () => {
      expect(await page.locator('#grants').innerText()).not.toContain('Tip Jar');
      expect(await page.locator('#grants').innerText()).toContain('Reef Vault');
    });
    const query = `{ wallet(walletId: "${demo.owner.walletId}") { grants { adaptor { manifest { name } } } } }`;
    const answer = await fetch(`${demo.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(JSON.stringify(await answer.json())).not.toContain('Tip Jar');
    expect(digest).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
  });

  test('a trial that the chain refuses says why, and a grant stays possible', async () => {
    await context.addInitScript(ownersWallet);
    page = await newPage();
    const { serviceType } = demo.venues.swap;
    await open(`/wallet/grant?service=${serviceType}`);
    await connect('Test wallet');
    await page.getByLabel('Amount').fill('99999');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.locator('#granting .notice.danger').waitFor();
    expect(await page.locator('#granting .notice.danger').innerText()).toContain('The chain refuses this');
    expect(await page.getByRole('button', { name: 'Grant', exact: true }).isEnabled()).toBe(true);
  });
});

test('a wallet of another network is shown with the reason, and cannot be connected', async () => {
  const { secretKey } = demo.owner;
  await context.addInitScript(await walletScript({ secretKey, name: 'Far wallet', network: 'mainnet' }));
  page = await newPage();
  await open('/');
  await page.locator('#connect').click();
  await page.locator('dialog', { hasText: 'It knows mainnet, but not localnet.' }).waitFor();
  expect(await dialog('Far wallet').isDisabled()).toBe(true);
});

test('an account without coins learns about gas before it signs', async () => {
  await open('/publish');
  await connect('Demo wallet');
  await dialog('Close').click();
  await page.getByRole('button', { name: 'Publish the sample package' }).click();
  await page.locator('dialog', { hasText: 'You have too little SUI for the gas' }).waitFor();
});

test('the code of wallets is not loaded by those who only read', async () => {
  const urls = new Set<string>();
  page.on('request', (request) => {
    if (request.url().endsWith('.js')) urls.add(request.url());
  });
  await open('/');
  await open('/wallet');
  const scripts = await Promise.all([...urls].map(async (url) => (await fetch(url)).text()));
  expect(scripts.length).toBeGreaterThan(1);
  expect(scripts.filter((script) => script.includes('signTransaction'))).toEqual([]);
});
