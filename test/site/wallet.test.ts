import { join } from 'node:path';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { register, unlist } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { packSourceFolder, readSourceFolder } from '@adaptor-marketplace/move-toolchain/verify';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { Locator, Page, Route } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { quarantine, release } from '../../db/queries/catalog/quarantines.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { useTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { readGraph } from '../support/graph-queries.ts';
import { listUnverifiedCode } from '../support/unverified-code.ts';
import { useForFile } from '../support/use-for-file.ts';
import { walletScript } from '../support/wallet/script.ts';
import {
  type Demo,
  dialogButton,
  expectFit,
  openPage,
  openReader,
  type Reader,
  signShown,
  startDemo,
  switchAccount,
} from './browsing.ts';

let demo: Demo['demo'];
const database = useTestDatabase();
const world = useForFile(() =>
  startDemo(['localnet', 'indexer', 'gateway'], { DATABASE_URL: database.directUrl }),
);
beforeAll(() => {
  ({ demo } = world);
});

/** The reader of the pages. The browser has no wallet until a test adds one. */
let reader: Reader;
let page: Page;
async function read(secretKey?: string): Promise<void> {
  await reader?.context.close();
  reader = await openReader(world, secretKey);
  ({ page } = reader);
}
const origins = () =>
  new Set(reader.requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin));
beforeEach(() => read());
afterEach(async () => {
  await reader.context.close();
  expect(reader.wrong).toEqual([]);
  const own = [demo.baseUrl, demo.rpcUrl, demo.faucetUrl].map((url) => new URL(url).origin);
  expect([...origins()].filter((origin) => !own.includes(origin))).toEqual([]);
});

const open = (path: string) => page.goto(demo.baseUrl + path, { waitUntil: 'load' });
const dialog = (name: string) => dialogButton(page, name);

async function connect(name: string): Promise<void> {
  await page.locator('#connect').click();
  await dialog(name).click();
}

const signIt = () => signShown(page);

/** Signs the transaction in the dialog, and closes the dialog before the chain has executed it. */
async function signAndClose(): Promise<void> {
  const [sent, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = async (route: Route) => {
    sent.resolve();
    await closed.promise;
    await route.continue();
  };
  await page.route(/\/ExecuteTransaction$/, hold, { times: 1 });
  await dialog('Sign in').click();
  await sent.promise;
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  closed.resolve();
}

test('a stranger publishes, lists, grants and revokes with nothing but a browser', async () => {
  await open('/publish');
  expect(await page.locator('.local').innerText()).toContain('toys');
  await connect('Demo wallet');
  expect(await page.locator('dialog').innerText()).toContain('A toy for this local network');
  await dialog('Get coins from the faucet').click();
  await page.locator('dialog .balance', { hasText: '1,000 SUI' }).waitFor();
  await expectFit(page);
  await dialog('Close').click();

  await page.getByRole('button', { name: 'Publish the sample package' }).click();
  expect(
    await page
      .locator('dialog .body')
      .getByText(/It costs about/)
      .innerText(),
  ).toMatch(/^You sign one transaction: publish\. It costs about [\d.]+ SUI, and at most [\d.]+ SUI\.$/);
  await signAndClose();
  await page.getByLabel('Name', { exact: true }).fill('Weekly Allowance');
  await page.locator('.preview h2', { hasText: 'Weekly Allowance' }).waitFor();
  await page.getByText('Links, fee, source, profile and more, all optional').click();
  await page.getByLabel('Documentation').fill('http://allowance.example/docs');
  await page.getByText('The catalog links to https:// addresses only.').waitFor();
  await page.getByLabel('Documentation').fill('https://allowance.example/docs');
  await page.getByLabel('Fee in percent').fill('0.25');
  await page.getByLabel('Recipient of the fee').fill(demo.provider.address);
  await page.getByLabel('Your name').fill('Allowance Labs');
  await page.getByLabel('Your links').fill('Chat https://chat.example/allowance');
  await page.locator('.preview .facts', { hasText: '0.25 % of the amount' }).waitFor();
  expect(await page.locator('.preview .facts a').getAttribute('href')).toBe('https://allowance.example/docs');
  const publish = page.getByRole('button', { name: 'Publish adaptor' });
  await eventually(async () => expect(await publish.isEnabled()).toBe(true));
  await expectFit(page);
  // A reload keeps the entered values and those read from the package.
  await page.reload();
  await eventually(async () => {
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Weekly Allowance');
    expect(await page.getByLabel('Documentation').inputValue()).toBe('https://allowance.example/docs');
    expect(await publish.isEnabled()).toBe(true);
  });
  expect(await page.evaluate('JSON.stringify(Object.entries(localStorage))')).not.toMatch(/suiprivkey/);

  // The dialog shows invisible characters.
  await page.getByLabel('Name', { exact: true }).fill('Weekly\u202e Allowance');
  await page.locator('.preview h2', { hasText: 'Weekly[U+202E] Allowance' }).waitFor();
  await eventually(async () => expect(await publish.isEnabled()).toBe(true));
  // A stored draft that is not the shown one is not signed. The preview shows it then.
  await page.route(
    /\/api\/adaptors\/draft$/,
    async (route) => {
      const answer = await (await route.fetch()).json();
      const manifest = { ...answer.manifest, feeBps: 9_000 };
      await route.fulfill({ json: { ...answer, manifest, manifestHash: manifestHash(manifest) } });
    },
    { times: 1 },
  );
  await publish.click();
  await page.getByText('It differs in feeBps of the manifest. Nothing was signed.').waitFor();
  await page.locator('.preview .facts', { hasText: '90 % of the amount' }).waitFor();
  expect(await page.locator('dialog').count()).toBe(0);
  await page.getByLabel('Summary').fill('Pays an allowance.');
  await page.locator('.preview .facts', { hasText: '0.25 % of the amount' }).waitFor();
  await eventually(async () => expect(await publish.isEnabled()).toBe(true));
  await publish.click();
  await page.locator('dialog h2', { hasText: 'Publish Weekly[U+202E] Allowance' }).waitFor();
  await dialog('Cancel').click();
  await page.getByLabel('Name', { exact: true }).fill('Weekly Allowance');
  await eventually(async () => expect(await publish.isEnabled()).toBe(true));
  await publish.click();
  const hasText = new RegExp(`registry::register.*Its fee goes to ${demo.provider.address}`, 's');
  await page.locator('dialog .body', { hasText }).waitFor();
  await signIt();
  await page.getByText('Weekly Allowance is in the catalog').waitFor();
  await expectFit(page);
  // Its source is offered with two clicks, and its page has the verdict.
  await page.getByRole('button', { name: 'Offer the source' }).click();
  await page.locator('.notice.danger', { hasText: 'Choose a folder or a zip file' }).waitFor();
  const read = await readSourceFolder(join(moveDir, 'adaptors/pocket_money'));
  const packed = await packSourceFolder(read);
  // This machine has one offer in the queue, and the demo offers its own sources first.
  await eventually(async () => expect(await listUnverifiedCode(demo.baseUrl)).toHaveLength(1));
  const file = { name: 'pocket_money.zip', mimeType: 'application/zip', buffer: Buffer.from(packed) };
  await page.getByLabel('Or a zip file').setInputFiles(file);
  await page.getByLabel('Where the package is in it').fill(read.folder);
  await page.getByRole('button', { name: 'Offer the source' }).click();
  const itsPage = await page
    .locator('.notice', { hasText: 'Source offered' })
    .getByRole('link')
    .getAttribute('href');
  await eventually(async () => {
    const source = await (await fetch(demo.baseUrl + itsPage!)).text();
    expect(source).toMatch(/The source builds to the bytes on chain|each function takes the same step/);
  });
  await page.getByRole('link', { name: 'See the listing' }).click();
  expect(await page.locator('h1').innerText()).toBe('Weekly Allowance');
  expect(await page.getByRole('link', { name: 'Documentation' }).getAttribute('href')).toBe(
    'https://allowance.example/docs',
  );
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
  await expectFit(page);
  // The only signed transaction is the grant.
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

  // The form has the listed values, and another version needs one signature.
  await open('/publish');
  await page.getByRole('button', { name: 'Update', exact: true }).click();
  await eventually(async () =>
    expect(await page.getByLabel('Documentation').inputValue()).toBe('https://allowance.example/docs'),
  );
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Weekly Allowance');
  expect(await page.getByLabel('Your name').inputValue()).toBe('Allowance Labs');
  expect(await page.getByLabel('Your links').inputValue()).toBe('Chat https://chat.example/allowance');
  await page.getByLabel('Summary').fill('Pays an allowance each Friday.');
  await page.locator('.preview', { hasText: 'Pays an allowance each Friday.' }).waitFor();
  const update = page.getByRole('button', { name: 'Update adaptor' });
  await eventually(async () => expect(await update.isEnabled()).toBe(true));
  await update.click();
  await page.locator('dialog code', { hasText: 'registry::update' }).waitFor();
  await signIt();
  await page.getByText('Version 2 is verified').waitFor();
  await page.getByRole('link', { name: 'See the listing' }).click();
  expect(await page.locator('main').innerText()).toContain('Pays an allowance each Friday.');
  const listed = await (await fetch(`${demo.baseUrl}/api/adaptors?q=allowance`)).json();
  expect(listed.adaptors[0].manifest.profile).toEqual({
    name: 'Allowance Labs',
    links: [{ label: 'Chat', url: 'https://chat.example/allowance' }],
  });

  await open('/publish');
  await page.getByRole('button', { name: 'Unlist' }).click();
  await page.locator('dialog .body', { hasText: '::pocket_money::PocketMoney' }).waitFor();
  await signIt();
  await eventually(async () => expect(await page.getByRole('button', { name: 'Unlist' }).count()).toBe(0));
});

describe('the wallet of an owner', () => {
  const buildPath = (owner: string) => `/wallet?owner=${owner}`;
  /** The page with the services in the order of their names. */
  const byName = () => `${buildPath(demo.owner.address)}&sort=service`;

  test('is read without script, by everyone', async () => {
    const plain = await world.browser.newContext({ javaScriptEnabled: false });
    const { page } = await openPage(plain);
    await page.goto(demo.baseUrl + buildPath(demo.owner.address));
    const text = await page.locator('main').innerText();
    expect(text).toMatch(/It can take up to [\d.]+ SUI from your wallet, in total, until you revoke it\./);
    expect(text).toContain('A spend is opened by');
    expect(await page.locator('button[data-act]').filter({ visible: true }).count()).toBe(0);
    await plain.close();
  });

  test('shows the address for models, with configurations to copy that name the wallet', async () => {
    await open(`/wallet?owner=${demo.owner.address}`);
    const url = `${demo.baseUrl}/mcp/wallets/testnet/${demo.owner.walletId}`;
    expect(await page.locator('#models .facts').innerText()).toContain(url);
    const [json] = await page.locator('#models pre').allTextContents();
    expect(JSON.parse(json!).mcpServers.wallet.url).toBe(url);
    expect(await page.locator('#models [data-copy]').count()).toBe(3);
  });

  test('names what is wrong with an address, and who has no wallet', async () => {
    await open('/wallet?owner=0xyz');
    expect(await page.locator('#owner-fault').innerText()).toContain('not an address');
    await open(buildPath(`0x${'9'.repeat(64)}`));
    expect(await page.locator('#wallet').innerText()).toContain('This address has no wallet here');
  });

  test('asks the chain nothing before someone connects', async () => {
    await open(buildPath(demo.owner.address));
    expect([...origins()]).toEqual([new URL(demo.baseUrl).origin]);
  });

  test('a rejected signature changes nothing and can be given again; a revoke ends the grant on chain', async () => {
    await read(demo.owner.secretKey);
    await open('/wallet');
    await connect('Test wallet');
    await page.waitForURL(/owner=/);
    await page.locator('.balances').waitFor();
    await expectFit(page);
    await page.locator('#grants').getByRole('link', { name: 'Next page' }).click();
    const row = page.locator('.allowed', { hasText: 'Tip Jar' }).first();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.evaluate('globalThis.rejectNext = true');
    await dialog('Sign in').click();
    await page.locator('dialog', { hasText: 'You rejected the signature' }).waitFor();
    expect(await page.locator('dialog').innerText()).toContain('Nothing was sent and nothing changed');
    await expectFit(page);
    await dialog('Try again').click();
    const digest = await signIt();
    await eventually(async () => {
      expect(await page.locator('#grants').innerText()).not.toContain('Tip Jar');
      expect(await page.locator('#grants').innerText()).toContain('Term Savings');
    });
    const query = `{ wallet(walletId: "${demo.owner.walletId}") { grants { adaptor { manifest { name } } } } }`;
    expect(JSON.stringify(await readGraph(demo.baseUrl, query))).not.toContain('Tip Jar');
    expect(digest).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
  });

  /** Turns the pages of the list of caps to one. */
  async function showCap(cap: Locator): Promise<void> {
    while ((await cap.count()) === 0) {
      const shown = page.url();
      await page.getByRole('link', { name: 'Next caps' }).click();
      await page.waitForURL((url) => url.href !== shown);
    }
  }
  const row = (part: string, text: string) => page.locator(`${part} .allowed`, { hasText: text });
  const short = (id: string) => `${id.slice(0, 6)}…${id.slice(-4)}`;

  test('pays in and takes out, and is paused and resumed, with what it holds shown at once', async () => {
    await read(demo.owner.secretKey);
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    const held = page.locator('.balances tr', {
      has: page.getByRole('rowheader', { name: 'SUI', exact: true }),
    });
    const sui = async () => Number((await held.locator('td').innerText()).replaceAll(/[^\d.]/g, ''));
    await held.waitFor();
    const before = await sui();
    const move = async (button: string, amount: string, words: string, after: number) => {
      await page.getByRole('button', { name: button }).click();
      await page.getByLabel('Amount').fill('a lot');
      await dialog('Continue').click();
      await page.locator('#amount-fault').waitFor();
      await page.getByLabel('Amount').fill(amount);
      await page.getByLabel('Coin', { exact: true }).selectOption({ label: 'SUI' });
      await dialog('Continue').click();
      await page.locator('dialog .body', { hasText: words }).waitFor();
      await signIt();
      await eventually(async () => expect(await sui()).toBeCloseTo(after, 9));
    };
    await move('Put coins in', '2.5', '2.5 SUI go from your address into the wallet', before + 2.5);
    await move('Take coins out', '1', '1 SUI go from the wallet to your address', before + 1.5);

    await page.getByRole('button', { name: 'Pause the wallet' }).click();
    await page.locator('dialog .body', { hasText: 'Nothing leaves it but to you' }).waitFor();
    await signIt();
    await page.getByText('This wallet is paused').waitFor();
    await expectFit(page);
    await page.getByRole('button', { name: 'Resume the wallet' }).click();
    await signIt();
    await page.getByText('This wallet is paused').waitFor({ state: 'detached' });
  });

  test('says before a signature that the packages could not be read, and reads them at the next click', async () => {
    await read(demo.owner.secretKey);
    let isServed = false;
    await page.route(/\/api\/adaptors\/schema$/, (route) =>
      isServed ? route.continue() : route.fulfill({ json: { networks: {} } }),
    );
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    const pause = page.getByRole('button', { name: 'Pause the wallet' });
    await pause.click();
    await page.locator('dialog', { hasText: 'This site does not serve' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    isServed = true;
    await pause.click();
    await signIt();
    await page.getByRole('button', { name: 'Resume the wallet' }).click();
    await signIt();
    await page.getByText('This wallet is paused').waitFor({ state: 'detached' });
  });

  test('a refusal of the node is not shown as a rejected signature', async () => {
    await read(demo.owner.secretKey);
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    const pause = page.getByRole('button', { name: 'Pause the wallet' });
    await pause.waitFor();
    const headers = {
      'content-type': 'application/grpc-web+proto',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
      'grpc-status': '7',
      'grpc-message': 'denied by the policy of the provider',
    };
    await page.route(`${demo.rpcUrl}/**`, (route) =>
      route.request().method() === 'OPTIONS' ? route.continue() : route.fulfill({ headers, body: '' }),
    );
    await pause.click();
    const shown = page.locator('dialog', { hasText: 'denied by the policy of the provider' });
    await shown.waitFor();
    expect(await shown.innerText()).not.toContain('You rejected the signature');
    await page.unroute(`${demo.rpcUrl}/**`);
  });

  test('has no coins put into it by another account, to which the browser switches while the amount is entered', async () => {
    await read(demo.owner.secretKey);
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    await page.locator('.balances').waitFor();
    await page.getByRole('button', { name: 'Put coins in' }).click();
    await page.getByLabel('Amount').fill('1');
    await switchAccount(page, demo.provider.secretKey);
    await dialog('Continue').click();
    await page.locator('dialog', { hasText: 'Another account is connected now' }).waitFor();
    expect(await dialog('Sign in').count()).toBe(0);
    await dialog('Cancel').click();
  });

  test('has its buttons on one line each, beside services with long reasons', async () => {
    await read(demo.owner.secretKey);
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    const buttons = page.locator('.services .actions > *').filter({ visible: true });
    await buttons.first().waitFor();
    await page.getByText('You granted to version 1; version 2 is listed now').waitFor();
    const boxes = await Promise.all((await buttons.all()).map((button) => button.boundingBox()));
    const tooHigh = boxes.filter((box) => box!.height > 45 || box!.width < box!.height);
    expect(tooHigh).toEqual([]);
  });

  test('sees which services it has not used for 30 days, and revokes all of them with one signature', async () => {
    // The index says that all three were granted longer ago, and that two of them were last used then.
    const ago = new Date(Date.now() - 31 * 86_400_000);
    const services = ['%::RelaySwap', '%::PerpetualTrading', '%::PoolSwap'];
    const change = (table: string, column: string, types: string[]) =>
      database.pool.query(
        `update ${table} set ${column} = $1 where wallet_id = $2 and service_type like any ($3)`,
        [...[ago, demo.owner.walletId, types]],
      );
    await change('service_grants', 'granted_at', services);
    await change('service_actions', 'timestamp', services.slice(0, 2));
    const shown = async () => (await fetch(demo.baseUrl + buildPath(demo.owner.address))).text();
    await eventually(async () => expect(await shown()).toContain('Unused for 30 days'));
    await read(demo.owner.secretKey);
    await open(byName());
    await connect('Test wallet');
    const unused = page.locator('#grants .allowed', { hasText: 'Unused for 30 days' });
    await page.getByRole('button', { name: 'Revoke 2 unused services' }).waitFor();
    const names = (await unused.locator('th a').allInnerTexts()).toSorted();
    expect(names).toEqual(['Lagoon Perpetuals', 'Lagoon Relay']);
    expect(await unused.first().innerText()).toMatch(/1 month ago\s+1 month ago/);
    expect(await row('#grants', 'Lagoon Swap').innerText()).toMatch(
      /1 month ago\s+(just now|\d+ minutes? ago)/,
    );
    await page.getByRole('button', { name: 'Revoke 2 unused services' }).click();
    await page.locator('dialog .body', { hasText: 'they can take nothing from this wallet' }).waitFor();
    await signIt();
    await eventually(async () => {
      expect(await unused.count()).toBe(0);
      expect(await page.locator('#grants').innerText()).not.toMatch(/Lagoon (Relay|Perpetuals)/);
      expect(await page.locator('#grants').innerText()).toContain('Lagoon Swap');
    });
  });

  test('marks a service while it is in quarantine, on a page that its owner has open', async () => {
    await read(demo.owner.secretKey);
    await open(byName());
    await connect('Test wallet');
    await page.locator('.balances').waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    const swap = row('#grants', 'Lagoon Swap');
    await swap.waitFor();
    // The catalog no longer has the service, so the page has its type and not its name.
    const marked = row('#grants', 'In quarantine');
    expect(await marked.count()).toBe(0);
    const subject = demo.venues.swap.serviceType;
    const decide = (reason: string) => ({ network: 'testnet', subject, operator: 'Ada', reason });
    await quarantine(database.pool, decide('It drains <b>grants</b>'));
    await marked.waitFor();
    expect(await marked.innerText()).toMatch(/pool_swap::PoolSwap[\s\S]*It drains <b>grants<\/b>/);
    await release(database.pool, decide('Fixed'));
    await marked.waitFor({ state: 'detached' });
    expect(await swap.innerText()).not.toContain('It drains');
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  });

  test('marks a service that its publisher unlists, on a page that its owner has open', async () => {
    await read(demo.owner.secretKey);
    await open(byName());
    await connect('Test wallet');
    await page.locator('.balances').waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    await row('#grants', 'Lagoon Swap').waitFor();
    const marked = row('#grants', 'Unlisted');
    expect(await marked.count()).toBe(0);
    const { serviceType } = demo.venues.swap;
    const { adaptors } = await (await fetch(`${demo.baseUrl}/api/adaptors`)).json();
    const listed = adaptors.find((one: { serviceType: string }) => one.serviceType === serviceType);
    const publisher = demo.publishers.find(({ address }) => address === listed.publisher)!;
    const account = {
      address: publisher.address,
      keypair: Ed25519Keypair.fromSecretKey(publisher.secretKey),
      client: new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl }),
    };
    const registry = { packageId: demo.packages.registry, objectId: demo.objects.registry };
    await execute(account, (tx) => unlist(tx, registry, serviceType));
    await marked.waitFor();
    expect(await marked.innerText()).toContain('pool_swap::PoolSwap');
    await execute(account, (tx) => register(tx, registry, listed));
    await marked.waitFor({ state: 'detached' });
    await row('#grants', 'Lagoon Swap').waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).toBe(true);
  });

  test('removes a delegate and revokes a cap, which only its holder destroys', async () => {
    await read(demo.owner.secretKey);
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    const agent = row('#delegates', short(demo.treasurer.address));
    await agent.getByRole('button', { name: 'Remove' }).click();
    await page.locator('dialog .body', { hasText: 'It can no longer do anything for you' }).waitFor();
    await signIt();
    await agent.waitFor({ state: 'detached' });

    const bearer = () => row('#caps', 'Bearer cap').filter({ hasText: short(demo.treasurer.address) });
    await showCap(bearer());
    await bearer().getByRole('button', { name: 'Revoke' }).click();
    await page.locator('dialog .body', { hasText: 'Its holder can no longer spend with it' }).waitFor();
    await signIt();
    await bearer().getByText('It no longer opens anything.').waitFor();
    expect(await bearer().getByRole('button', { name: 'Destroy' }).isVisible()).toBe(false);

    await read(demo.treasurer.secretKey);
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    await showCap(bearer());
    // The wallet is not the holder's: the holder can only destroy the cap.
    await bearer().getByRole('button', { name: 'Destroy' }).click();
    expect(await page.getByRole('button', { name: 'Put coins in' }).isVisible()).toBe(false);
    await page.locator('dialog .body', { hasText: 'Destroying it cannot be undone' }).waitFor();
    await signIt();
    await bearer().getByText('Destroyed').waitFor();
  });

  test('a grant says that the publisher is no longer verified, if this changed while the form was open', async () => {
    const { serviceType } = demo.venues.swap;
    const verify = (verified: boolean) =>
      database.pool.query('update catalog_entries set publisher_verified = $1 where service_type = $2', [
        ...[verified, serviceType],
      ]);
    await read(demo.owner.secretKey);
    await open(`/wallet/grant?service=${serviceType}`);
    await connect('Test wallet');
    await page.locator('#grant').fill('0.5');
    await verify(false);
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.locator('dialog .body', { hasText: 'Its publisher is not verified' }).waitFor();
    await dialog('Cancel').click();
    await verify(true);
  });

  test('a trial of an input that is changed meanwhile is not shown', async () => {
    await read(demo.owner.secretKey);
    await open(`/wallet/grant?service=${demo.venues.swap.serviceType}`);
    await connect('Test wallet');
    await page.getByLabel('Amount').fill('0.1');
    const changed = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      await changed.promise;
      await route.continue();
    };
    await page.route(/\/SimulateTransaction$/, hold, { times: 1 });
    const [request] = await Promise.all([
      page.waitForRequest(/\/SimulateTransaction$/),
      page.getByRole('button', { name: 'Try it' }).click(),
    ]);
    await page.getByLabel('Amount').fill('0.2');
    changed.resolve();
    await request.response();
    await page.locator('#granting button:enabled', { hasText: 'Try it' }).waitFor();
    expect(await page.locator('.trial').count()).toBe(0);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.locator('.trial').waitFor();
    expect(await page.locator('.trial tbody').innerText()).toContain('− 0.2');
  });

  test('no amount is read in units that the node did not say', async () => {
    await read(demo.owner.secretKey);
    const headers = {
      'content-type': 'application/grpc-web+proto',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
      'grpc-status': '14',
      'grpc-message': 'busy',
    };
    const pattern = /\/GetCoinInfo$/;
    await page.route(pattern, (route) =>
      route.request().method() === 'OPTIONS' ? route.continue() : route.fulfill({ headers, body: '' }),
    );
    await open(buildPath(demo.owner.address));
    await connect('Test wallet');
    await page.getByRole('button', { name: 'Put coins in' }).click();
    await page.getByLabel('Amount').fill('1');
    await dialog('Continue').click();
    await page.locator('dialog', { hasText: 'does not say in which units' }).waitFor();
    await page.unroute(pattern);
    await dialog('Continue').click();
    await page.locator('dialog', { hasText: '1 SUI go from your address' }).waitFor();
    await dialog('Cancel').click();
    await page.route(pattern, (route) =>
      route.request().method() === 'OPTIONS' ? route.continue() : route.fulfill({ headers, body: '' }),
    );
    await open(`/wallet/grant?service=${demo.venues.swap.serviceType}`);
    await page.getByLabel('Amount').fill('1');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.locator('#granting .notice.danger', { hasText: 'does not say in which units' }).waitFor();
    await page.getByLabel('that it can take, in total').fill('1');
    await page.unroute(pattern);
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.locator('#granting .notice.danger', { hasText: 'counted in other units now' }).waitFor();
    await page.getByRole('button', { name: 'Grant', exact: true }).click();
    await page.locator('dialog .body', { hasText: 'can take up to 1 SUI' }).waitFor();
    await dialog('Cancel').click();
  });

  test('a trial that the chain refuses says why, and a grant stays possible', async () => {
    await read(demo.owner.secretKey);
    const { serviceType } = demo.venues.swap;
    await open(`/wallet/grant?service=${serviceType}`);
    await connect('Test wallet');
    await page.getByLabel('Amount').fill('99999');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.locator('#granting .notice.danger').waitFor();
    expect(await page.locator('#granting .notice.danger').innerText()).toContain('The chain refuses this');
    expect(await page.getByRole('button', { name: 'Grant', exact: true }).isEnabled()).toBe(true);
    // Without a minimum, the bound is the least that wallets accept.
    await page.getByLabel('Amount').fill('0.1');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.locator('.trial').waitFor();
  });
});

test('a wallet of another network is shown with the reason, and cannot be connected', async () => {
  const { secretKey } = demo.owner;
  const far = await walletScript({ secretKey, name: 'Far wallet', network: 'mainnet' });
  await reader.context.addInitScript(far);
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

test('who puts more into a wallet than they have learns what to do', async () => {
  await open('/wallet');
  await connect('Demo wallet');
  await dialog('Get coins from the faucet').click();
  await page.locator('dialog .balance', { hasText: '1,000 SUI' }).waitFor();
  await dialog('Close').click();
  await page.getByRole('button', { name: 'Open a wallet' }).click();
  await page.getByLabel('Amount').fill('5000');
  await dialog('Continue').click();
  await page.locator('dialog', { hasText: 'You have too little of the coin' }).waitFor();
  expect(await page.locator('dialog').innerText()).toContain('Enter a smaller amount');
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
