import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { delegate, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisDatabase, useTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { readGraph } from '../support/graph-queries.ts';
import { adminSecret } from '../support/keys.ts';
import { startReceiver } from '../support/receiver.ts';
import { useForFile } from '../support/use-for-file.ts';
import { zkLoginSignature } from '../support/zklogin.ts';
import {
  connectWallet,
  type Demo,
  dialogButton,
  expectFit,
  openReader,
  signDirectly,
  signShown,
  startDemo,
} from './browsing.ts';

let site: Demo;
/** An origin for which a cookie session does not require HTTPS. */
let host: string;
const receiver = useForFile(startReceiver);
const db = useTestDatabase();
beforeAll(async () => {
  const settings = {
    DATABASE_URL: db.directUrl,
    REDIS_URL: await redisDatabase(),
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    MARKETPLACE_ANON_RPM: '100000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  };
  site = await startDemo(['localnet', 'indexer', 'gateway', 'agent', 'tools', 'dispatcher'], settings);
  host = `http://localhost:${new URL(site.demo.baseUrl).port}`;
});
afterAll(async () => {
  await site?.close();
});

test('an owner signs in, has the agent run an operation, watches it to its end, and finds it in the history', async () => {
  const { demo } = site;
  const { page, context, wrong } = await openReader(site, demo.owner.secretKey);
  const { serviceType, objects } = demo.venues.swap;
  await page.goto(`${demo.baseUrl}/runs?wallet=${demo.owner.walletId}&service=${serviceType}`);
  await connectWallet(page);
  // An owner whose signature the node cannot verify reads the reason.
  await page.getByText('Accounts of zkLogin cannot sign in here').waitFor();
  await page.evaluate(`globalThis.nextSignature = '${zkLoginSignature().signature}'`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.notice.danger', { hasText: 'zkLogin accounts cannot sign in here' }).waitFor();
  expect(wrong.splice(0)).toEqual([expect.stringContaining('401')]);
  await page.getByRole('button', { name: 'Sign in' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Amount').waitFor();
  // The button is gone.
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByLabel('Amount').fill('0.1');
  await expectFit(page);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.locator('#starting .notice').waitFor();
  const said = await page.locator('#starting .notice').innerText();
  expect(said).toContain('It would succeed now');
  expect(said).toContain('At most 0.1 SUI can leave your wallet');
  expect(said).toContain('Objects that the service keeps in your wallet, such as positions, can leave it.');
  // The object that the listing sets is shown, and the run is held to this listing.
  expect(said.replaceAll(/\s/g, '')).toContain(`object${objects.pool}(setbythelisting)`);

  // The result of a click is beside the button, which keeps the focus.
  const run = page.getByRole('button', { name: 'Run it now' });
  await context.setOffline(true);
  await run.focus();
  await page.keyboard.press('Enter');
  const failure = page.locator('#starting .notice.danger', { hasText: 'The agent does not answer' });
  await failure.waitFor();
  const [button, shown] = [(await run.boundingBox())!, (await failure.boundingBox())!];
  expect(shown.y).toBeGreaterThan(button.y);
  expect(await run.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  await context.setOffline(false);
  expect(wrong.splice(0)).toContainEqual(expect.stringContaining('ERR_INTERNET_DISCONNECTED'));

  const sent = page.waitForRequest((request) => request.url().endsWith('/api/agent/run'));
  await run.click();
  const { bounds } = (await sent).postDataJSON();
  expect(bounds.manifests).toEqual({ [serviceType]: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await page.waitForURL(/\/runs\/\d+/);
  await page.locator('#run .notice.good').waitFor();
  expect(await page.locator('#run').innerText()).toContain('The chain confirms it');
  await expectFit(page);
  await page.getByRole('link', { name: 'All runs of this wallet' }).click();
  await page.locator('#runs td', { hasText: 'call' }).first().waitFor();
  await expectFit(page);

  // The session is a cookie that scripts cannot read: it is not in storage and not on the page.
  const cookies = await context.cookies(`${demo.baseUrl}/api/agent/run`);
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ['agent_session', true, 'Strict'],
  ]);
  const open = await page.evaluate(
    'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie, document.documentElement.outerHTML])',
  );
  expect(String(open)).not.toContain(cookies[0]!.value);
  expect(String(open)).not.toMatch(/as_\w{20}|suiprivkey/);
  expect(wrong).toEqual([]);

  // Another owner does not see the run.
  const stranger = await openReader(site, demo.provider.secretKey);
  await stranger.page.goto(`${demo.baseUrl}/runs/1`);
  await connectWallet(stranger.page);
  await stranger.page.getByRole('button', { name: 'Sign in' }).click();
  await stranger.page.locator('#run .notice.danger').waitFor();
  expect(await stranger.page.locator('#run').innerText()).not.toContain('The chain confirms it');
});

test('a run is followed again after an outage that is longer than a pause', async () => {
  const { demo } = site;
  const { page } = await openReader(site, demo.owner.secretKey);
  await page.route('**/api/agent/runs/1/stream*', (route) => route.abort());
  let reads = 0;
  await page.route('**/api/agent/runs/1', async (route) => {
    reads += 1;
    if (reads === 2 || reads === 3) return await route.abort();
    const response = await route.fetch();
    return await route.fulfill({
      response,
      json: { ...(await response.json()), ...(reads === 1 && { state: 'running', steps: [] }) },
    });
  });
  await page.goto(`${demo.baseUrl}/runs/1`);
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#run .notice.good').waitFor();
  expect(reads).toBe(4);
});

test('an owner reads which updates hold the agent, and confirms one', async () => {
  const { demo } = site;
  const { page, wrong } = await openReader(site, demo.owner.secretKey);
  const { serviceType } = demo.venues.swap;
  await db.pool.query(
    `update claim_changes set state = 'computed', widens = true, next_check_at = null
     where network = 'testnet' and service_type = $1`,
    [serviceType],
  );
  await page.goto(`${demo.baseUrl}/runs?wallet=${demo.owner.walletId}`);
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const held = page.locator('#held tbody tr');
  await held.first().waitFor();
  expect(await held.count()).toBe(1);
  expect(await held.innerText()).toContain('Since version 1 its code may do more than before.');
  const changes = await held.getByRole('link').getAttribute('href');
  expect((await fetch(new URL(changes!, demo.baseUrl))).status).toBe(200);
  await expectFit(page);
  await page.getByRole('button', { name: 'Confirm version 1' }).click();
  await page.locator('#held').waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('#runs td').first().waitFor();
  expect(await page.locator('#held').count()).toBe(0);
  expect(wrong).toEqual([]);
});

test('a session that the host does not end stays open, and the page says so', async () => {
  const { demo } = site;
  const { page } = await openReader(site, demo.owner.secretKey);
  await page.goto(`${demo.baseUrl}/runs?wallet=${demo.owner.walletId}`);
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await signOut.waitFor();
  const path = '**/api/agent/session';
  await page.route(path, (route) => route.abort());
  await signOut.click();
  await page.locator('.notice.danger', { hasText: 'This site does not answer' }).waitFor();
  await page.unroute(path);
  await signOut.click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
});

test('a grant with an agent gives it a budget that expires, in one transaction', async () => {
  const { demo } = site;
  const { page, wrong } = await openReader(site, demo.owner.secretKey);
  const { serviceType } = demo.venues.swap;
  await page.goto(`${demo.baseUrl}/wallet/grant?service=${serviceType}`);
  await connectWallet(page);
  await page.locator('#grant').fill('0.2');
  await page.getByLabel('An agent may use it for me').check();
  // The page proposes the managed address for this wallet.
  await page.getByText('The agent of this host acts for your wallet').waitFor();
  await page.getByLabel('Address of the agent').fill(demo.provider.address);
  await page.getByLabel('Days until it expires').fill('9');
  await expectFit(page);
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  const asked = page.locator('dialog .body');
  await asked.getByText(/It costs about/).waitFor();
  expect(await asked.innerText()).toContain('delegate::set_expiry');
  expect(await asked.innerText()).toContain('It ends in 9 days, with all services of this address.');
  await signShown(page);
  await page.getByRole('link', { name: 'See what you have allowed' }).click();
  const row = page.locator('#delegates .allowed', { hasText: demo.provider.address.slice(0, 6) });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/spend up to 0\.2 SUI in all/);
  expect(await row.innerText()).toMatch(/It ends in (8|9) days, for all services/);
  await row.getByRole('button', { name: 'Remove' }).click();
  await signShown(page);
  await row.waitFor({ state: 'detached' });
  expect(wrong).toEqual([]);
});

test('a grant to an agent that has expired revives none of its former budgets', async () => {
  const { demo } = site;
  const { owner, provider, packages, venues } = demo;
  const target = { packageId: packages.wallet, wallet: owner.walletId };
  const budget = { delegate: provider.address, amount: 900_000_000n };
  await signDirectly(site, owner.secretKey, (tx) => {
    delegate.add(tx, target, provider.address);
    delegate.setServiceAllowance(tx, target, { ...budget, service: venues.perp.serviceType });
    delegate.setCoinAllowance(tx, target, { ...budget, coinType: '0x2::sui::SUI' });
    delegate.setExpiry(tx, target, { delegate: provider.address, expiresAtMs: 1n });
  });
  const query = `{ wallet(walletId: "${owner.walletId}") { delegates { edges { node { address expiresMs services { key amount } } } } } }`;
  const readDelegate = async () => {
    const { wallet } = await readGraph(demo.baseUrl, query);
    return wallet.delegates.edges
      .map(({ node }: { node: { address: string } }) => node)
      .find(({ address }: { address: string }) => address === provider.address);
  };
  await eventually(async () => expect(await readDelegate()).toMatchObject({ expiresMs: 1 }));
  const { page } = await openReader(site, owner.secretKey);
  await page.goto(`${demo.baseUrl}/wallet/grant?service=${venues.swap.serviceType}`);
  await connectWallet(page);
  await page.locator('#grant').fill('0.2');
  await page.getByLabel('An agent may use it for me').check();
  await page.getByLabel('Address of the agent').fill(provider.address);
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  const asked = page.locator('dialog .body');
  await asked.getByText('What you allowed this address before has expired, and is removed.').waitFor();
  await signShown(page);
  await eventually(async () => {
    const { expiresMs, services } = await readDelegate();
    expect(expiresMs).toBeGreaterThan(1);
    expect(services).toEqual([{ key: venues.swap.serviceType, amount: '200000000' }]);
  });
});

test('another wallet of the owner gets another address of the agent, a grant to it leads to its runs, and they have another form', async () => {
  const { demo } = site;
  const { owner, packages, venues } = demo;
  const created = await signDirectly(site, owner.secretKey, (tx) =>
    wallet.share(tx, wallet.create(tx, packages.wallet)),
  );
  const { id: second } = created.find(({ type }) => type.endsWith('::wallet::Wallet'))!;
  await eventually(async () => {
    const answer = await fetch(`${demo.baseUrl}/wallet?wallet=${second}`);
    expect(answer.status).toBe(200);
  });
  const readAgent = async (walletId: string): Promise<string> =>
    (await (await fetch(`${demo.baseUrl}/api/agent/address?walletId=${walletId}`)).json()).address;
  const { page } = await openReader(site, owner.secretKey);
  await page.goto(`${demo.baseUrl}/wallet/grant?service=${venues.swap.serviceType}`);
  await connectWallet(page);
  await page.locator('#walletId').selectOption(owner.walletId);
  await page.getByLabel('An agent may use it for me').check();
  const proposed = page.getByLabel('Address of the agent');
  const proposes = async (walletId: string) => {
    const expected = await readAgent(walletId);
    await eventually(async () => expect(await proposed.inputValue()).toBe(expected));
  };
  await proposes(owner.walletId);
  await page.locator('#walletId').selectOption(second);
  await proposes(second);
  await page.locator('#walletId').selectOption(owner.walletId);
  await proposes(owner.walletId);
  await page.locator('#grant').fill('0.2');
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  await signShown(page);
  await page.getByRole('link', { name: 'Run it' }).click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  const simulated = async () => {
    await page.getByLabel('Amount').fill('0.1');
    const [request] = await Promise.all([
      page.waitForRequest(/\/api\/agent\/simulate$/),
      page.getByRole('button', { name: 'Simulate' }).click(),
    ]);
    await page.locator('#starting .notice').waitFor();
    return request.postDataJSON().walletId;
  };
  expect(await simulated()).toBe(owner.walletId);
  await page.locator('#walletId').selectOption(second);
  await page.locator('#starting .notice').waitFor({ state: 'detached' });
  expect(await simulated()).toBe(second);
});

/** Opens a page on `host`, signed in with a secret. */
async function signedIn(path: string, label: string, secret: string) {
  const { page, context, wrong } = await openReader(site);
  await page.goto(host + path);
  await page.getByLabel(label).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.signed-in').waitFor();
  return { page, context, wrong };
}

test('the holder of a key that the operator issued adds a webhook, and a listing on the chain is delivered to it', async () => {
  const operator = await signedIn('/operator/keys', 'Admin secret', adminSecret);
  await operator.page.getByRole('button', { name: 'Issue a key' }).click();
  await operator.page.getByLabel('Integrator').fill('acme');
  await dialogButton(operator.page, 'Issue key').click();
  const key = await operator.page.getByLabel('Shown this once').inputValue();
  expect(operator.wrong).toEqual([]);

  const { page, wrong } = await signedIn('/webhooks', 'API key', key);
  await page.getByLabel('Url').fill(`${receiver.url}/hook`);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  const secret = await page.getByLabel('Shown this once').inputValue();
  await dialogButton(page, 'I have copied it').click();
  const example = join(import.meta.dirname, '../../docs/examples/list-an-adaptor.ts');
  const env = { ...process.env, DATA_DIR: site.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  const [, publisher] = /^publisher +(0x[0-9a-f]+)$/m.exec(stdout)!;
  await page.getByRole('link', { name: `${receiver.url}/hook` }).click();
  await page.locator('.deliveries li', { hasText: 'Registered' }).filter({ hasText: 'Delivered' }).waitFor();
  const got = receiver.received.find(({ body }) => body.includes(publisher!))!;
  expect(new Webhook(secret).verify(got.body.toString(), got.headers)).toMatchObject({ event: 'Registered' });
  expect(wrong).toEqual([]);
});

test('a session is open until the host says that it is over, whatever the clock of the browser shows', async () => {
  const { demo } = site;
  const { page, context } = await openReader(site, demo.owner.secretKey);
  await page.clock.setSystemTime(Date.now() + 13 * 3_600_000);
  await page.goto(
    `${demo.baseUrl}/runs?wallet=${demo.owner.walletId}&service=${demo.venues.swap.serviceType}`,
  );
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Amount').waitFor();
  await context.clearCookies();
  await page.reload();
  await page.locator('.notice.danger').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Amount').waitFor();
});

test('a simulation of an input that is changed meanwhile is not shown, and cannot be run', async () => {
  const { demo } = site;
  const { page } = await openReader(site, demo.owner.secretKey);
  await page.goto(
    `${demo.baseUrl}/runs?wallet=${demo.owner.walletId}&service=${demo.venues.swap.serviceType}`,
  );
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Amount').fill('0.1');
  const changed = Promise.withResolvers<void>();
  await page.route('**/api/agent/simulate', async (route) => {
    await changed.promise;
    await route.continue();
  });
  const [request] = await Promise.all([
    page.waitForRequest('**/api/agent/simulate'),
    page.getByRole('button', { name: 'Simulate' }).click(),
  ]);
  await page.getByLabel('Amount').fill('0.2');
  changed.resolve();
  expect((await request.response())?.status()).toBe(200);
  await page.locator('#starting button[type=submit]:enabled').waitFor();
  expect(await page.getByRole('button', { name: 'Run it now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByRole('button', { name: 'Run it now' }).waitFor();
  expect(await page.locator('#starting .notice').innerText()).toContain('At most 0.2 SUI');
});

test('what the operator freezes is not run for an owner, until the freeze is lifted', async () => {
  const { demo } = site;
  const { page } = await openReader(site, demo.owner.secretKey);
  await page.goto(
    `${demo.baseUrl}/runs?wallet=${demo.owner.walletId}&service=${demo.venues.swap.serviceType}`,
  );
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Amount').fill('0.1');
  await page.getByRole('button', { name: 'Simulate' }).click();
  const start = page.getByRole('button', { name: 'Run it now' });
  await start.waitFor();

  const operator = await signedIn('/operator/agent', 'Admin secret', adminSecret);
  const freezes = operator.page.locator('.part', {
    has: operator.page.getByRole('heading', { name: 'Freezes', exact: true }),
  });
  await freezes.getByRole('button', { name: 'Freeze…' }).click();
  await operator.page.getByLabel('Reason').fill('A bound was broken.');
  await dialogButton(operator.page, 'Freeze').click();
  await freezes.getByText('A bound was broken.').waitFor();
  await start.click();
  await page.locator('.notice.danger', { hasText: 'frozen' }).waitFor();

  await freezes.getByRole('button', { name: 'Lift' }).click();
  await dialogButton(operator.page, 'Lift the freeze').click();
  await freezes.getByText('Nothing is frozen').waitFor();
  await start.click();
  await page.waitForURL(/\/runs\/\d+/);
  await page.locator('#run .notice.good').waitFor();
  expect(operator.wrong).toEqual([]);
});
