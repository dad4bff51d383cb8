import { createHash } from 'node:crypto';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Registry } from '@prometheus-io/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirmAdaptor } from '../../db/queries/agent/operator.ts';
import { describeSettings } from '../../lib/config/describe.ts';
import type { Kv } from '../../lib/kv/kv.ts';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { openSubscriptions } from '../../lib/webhooks/subscriptions.ts';
import { startAgent } from '../../services/agent/index.ts';
import { createLocalSigner } from '../../services/agent/key/signer.ts';
import { buildRequest } from '../support/build-request.ts';
import { closePages, shareChromium } from '../support/chromium.ts';
import { startTestGateway, type TestGateway, testPackages } from '../support/gateway.ts';
import { hostLimits, publicUrl } from '../support/host-limits.ts';
import { addRun } from '../support/host-rows.ts';
import { adminSecret, asAdmin } from '../support/keys.ts';
import { address, type SeededListing } from '../support/read-model.ts';
import { walletRows } from '../support/wallet-rows.ts';
import { dialogButton, expectFit } from './browsing.ts';

const internalSecret = 'the-internal-secret-of-the-tests';
const owner = address(0xa1);

let gateway: TestGateway;
let agent: Awaited<ReturnType<typeof startAgent>>;
let browser: Browser;
let site: string;
let kv: Kv;
let walletId: string;
let updated: SeededListing;

/** The manifest that the operator has read, from before an update. */
const readManifest = { name: 'Reef Vault', feeBps: 10 };
const readHash = createHash('sha256').update(JSON.stringify(readManifest)).digest('hex');

beforeAll(async () => {
  kv = createMemoryKv();
  const access = { kv, adminSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  const signer = await createLocalSigner({ secretKey: Ed25519Keypair.generate().getSecretKey() });
  // No node and no tool service listen there, and the operator's pages need neither.
  const nowhere = 'http://127.0.0.1:1';
  const [started, chromium] = await Promise.all([
    startTestGateway(
      async (seed) => {
        await seed.source();
        await seed.listing({ manifest: { name: 'Shown' } });
        await seed.listing({ row: { publisherCheck: 'unverified' } });
        updated = await seed.listing({ manifest: { name: 'Reef Vault', feeBps: 30 } });
      },
      async (db) => {
        agent = await startAgent({
          db,
          signer,
          internalSecret,
          adminSecret,
          toolsUrl: nowhere,
          host: '127.0.0.1',
          port: 0,
          networks: [
            { network: 'testnet', rpcUrl: nowhere, registryPackageId: address(0xeee), ...testPackages },
          ],
          defaultNetwork: 'testnet',
          publicUrl,
          ...hostLimits,
          log: silentLogger,
          metrics: new Registry(),
        });
        walletId = await walletRows(db).wallet(owner);
        await confirmBefore(db);
        const webhooks = {
          subscriptions: openSubscriptions(kv),
          secrets: undefined,
          outbound: { checkResolved: async () => undefined } as never,
          dispatch: async () => Promise.reject(new Error('not here')),
        };
        const settings = describeSettings({ MARKETPLACE_ADMIN_SECRET: adminSecret });
        return { access, webhooks, agentUrl: agent.url, settings };
      },
    ),
    shareChromium(),
  ]);
  gateway = started;
  browser = chromium;
  site = `http://localhost:${new URL(gateway.url).port}`;
});
afterAll(async () => {
  await closePages(browser);
  await agent?.close();
  await gateway?.close();
});

/** Stores the operator's confirmation of an adaptor from before its update. */
async function confirmBefore({ pool }: TestGateway['db']): Promise<void> {
  await pool.query('insert into manifests (hash, body) values ($1, $2)', [readHash, readManifest]);
  const { network, serviceType, publisher } = updated;
  const packageId = serviceType.split('::')[0]!;
  const version = { network, serviceType, publisher, version: 1, packageId, manifestHash: readHash };
  await confirmAdaptor(pool, { ...version, confirmedAt: new Date() });
}

async function visit(path: string): Promise<{ page: Page; wrong: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text());
  });
  page.on('pageerror', (error) => wrong.push(error.message));
  await page.goto(`${site}${path}`, { waitUntil: 'load' });
  return { page, wrong, close: () => context.close() };
}

async function signIn(page: Page, secret = adminSecret): Promise<void> {
  await page.getByLabel('Admin secret').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens a page as the operator, who has signed in. */
async function signedIn(path: string) {
  const visited = await visit(path);
  await signIn(visited.page);
  await visited.page.locator('.signed-in').waitFor();
  await visited.page.locator('.part').first().waitFor();
  return visited;
}

const part = (page: Page, title: string) =>
  page.locator('.part', { has: page.getByRole('heading', { name: title, exact: true }) });

/** Everything that a script of the page can read. */
const reach = (page: Page) =>
  page.evaluate(
    'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, document.documentElement.outerHTML, [...document.querySelectorAll("input")].map((field) => field.value)])',
  );

/** Requests a run of the wallet. Returns the code of the refusal, or `taken on`. */
async function runRefusal(): Promise<string> {
  const answer = await fetch(
    `${agent.url}/api/agent/run`,
    buildRequest(
      {
        action: 'spend',
        owner,
        walletId,
        network: 'testnet',
        recipient: address(5),
        coinType: '0x2::sui::SUI',
        amount: '1',
      },
      { 'x-svc-internal-agent': internalSecret },
    ),
  );
  const text = await answer.text();
  return answer.ok ? 'taken on' : JSON.parse(text).code;
}

test('the admin secret opens a session that no script can read, and a wrong one is refused', async () => {
  const { page, close } = await visit('/operator');
  await signIn(page, 'not-the-admin-secret');
  await page.locator('.notice.danger', { hasText: 'not the admin secret of this host' }).waitFor();
  expect(await page.getByLabel('Admin secret').inputValue()).toBe('');
  await signIn(page, `mk_${'0'.repeat(43)}`);
  await page.locator('.notice.danger', { hasText: 'This is an API key' }).waitFor();
  await expectFit(page);

  await signIn(page);
  await page.getByText(/Signed in as the operator until \d\d:\d\d/).waitFor();
  await part(page, 'Sources').locator('.badge.good').waitFor();
  await part(page, 'For you to do').getByText('1 confirmed adaptor changed').waitFor();
  await expectFit(page);
  const seen = String(await reach(page));
  expect([seen.includes(adminSecret), /ps_\w{20}/.test(seen)]).toEqual([false, false]);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Admin secret').waitFor();
  expect(await page.locator('.part').count()).toBe(0);
  await close();
});

test('a session that has ended brings the form back, and takes the data away', async () => {
  const { page, close } = await signedIn('/operator/keys');
  const issue = page.getByRole('button', { name: 'Issue a key' });
  await issue.waitFor();
  // The gateway deletes the session before it expires.
  const forget = { method: 'DELETE', headers: { 'content-type': 'application/json' } };
  expect(
    await page.evaluate((init) => fetch('/api/portal/session', init).then(({ status }) => status), forget),
  ).toBe(204);
  await issue.click();
  await page.getByLabel('Integrator').fill('acme');
  await dialogButton(page, 'Issue key').click();
  await page.locator('dialog .notice.danger').waitFor();
  await dialogButton(page, 'Cancel').click();
  await page.locator('.notice', { hasText: 'Your session has ended' }).waitFor();
  expect(await page.getByLabel('Admin secret').isVisible()).toBe(true);
  expect(await page.locator('.part').count()).toBe(0);
  await close();
});

test('a freeze of the operator stops the agent, and lifting it lets the agent go on', async () => {
  expect(await runRefusal()).toBe('taken on');
  const { page, wrong, close } = await signedIn('/operator/agent');
  const freezes = part(page, 'Freezes');
  await freezes.getByRole('button', { name: 'Freeze…' }).click();
  await page.locator('dialog').getByText('The agent signs nothing for what you freeze').waitFor();
  await page.getByLabel('Reason').fill('A bound was broken.');
  await dialogButton(page, 'Freeze').click();
  await freezes.getByText('A bound was broken.').waitFor();
  expect(await runRefusal()).toBe('frozen');
  await expectFit(page);

  await freezes.getByRole('button', { name: 'Lift' }).click();
  await dialogButton(page, 'Lift the freeze').click();
  await freezes.getByText('Nothing is frozen').waitFor();
  expect(await runRefusal()).toBe('taken on');
  expect(wrong).toEqual([]);
  await close();
});

test('an operator quarantines a listing, whose open page says so and offers nothing, and releases it', async () => {
  const { serviceType } = await gateway.seed.listing({ manifest: { name: 'Drainer' } });
  const reader = await visit(`/a/testnet/${serviceType}`);
  const use = reader.page.getByRole('link', { name: 'Use this adaptor' });
  await use.waitFor();
  const { page, wrong, close } = await signedIn('/operator/listings');
  const quarantines = part(page, 'Quarantines of testnet');
  await quarantines.getByText('Nothing is in quarantine').waitFor();
  await quarantines.getByRole('button', { name: 'Quarantine…' }).click();
  await page.getByLabel('Service type or publisher').fill(serviceType);
  const reason = 'It drains <script>alert(1)</script> \u202egrants';
  await page.getByLabel('Reason').fill(reason);
  await page.getByLabel('Your name').fill('Ada');
  await expectFit(page);
  await dialogButton(page, 'Quarantine').click();
  await quarantines.getByText('It drains <script>').waitFor();
  await page.reload();
  await part(page, 'Listings of testnet').getByText('In quarantine', { exact: true }).waitFor();
  await reader.page.getByText('In quarantine: do not grant to it').waitFor();
  await use.waitFor({ state: 'detached' });
  expect(await reader.page.locator('#warnings script').count()).toBe(0);
  expect(await reader.page.locator('#warnings').innerText()).toContain(
    '<script>alert(1)</script> [U+202E]grants',
  );

  await quarantines.getByRole('button', { name: 'Release' }).click();
  await page.getByLabel('Reason').fill('Fixed');
  await page.getByLabel('Your name').fill('Ben');
  await dialogButton(page, 'Release').click();
  await quarantines.getByText('Released: Fixed').waitFor();
  await use.waitFor();
  expect([wrong, reader.wrong]).toEqual([[], []]);
  await close();
  await reader.close();
});

test('an operator hides an icon and the text of a review, sees why, and shows them again', async () => {
  const publisher = address(0xcafe);
  const icon = 'https://reef.example/icon.png';
  const uri = `walrus://${'A-_z'.repeat(11).slice(0, 43)}`;
  const { serviceType } = await gateway.seed.listing({
    publisher,
    manifest: { name: 'Pictured', profile: { icon } },
  });
  await gateway.seed.attestation(serviceType, address(3), 1, 'testnet', uri);
  const words = 'Bad <script>alert(1)</script> https://evil.example';
  await gateway.db.pool.query('update review_texts set body = $1', [words]);
  const reader = await visit(`/a/testnet/${serviceType}`);
  const text = reader.page.locator('#reviews .review-text');
  expect(await text.innerText()).toBe(words);
  expect(await text.locator('script, a').count()).toBe(0);

  const { page, wrong, close } = await signedIn('/operator/listings');
  const enter = async (kind: string, label: string, subject: string) => {
    await page.getByRole('button', { name: `${kind}…` }).click();
    await page.getByLabel(label).fill(subject);
    await page.getByLabel('Reason').fill('It insults a person.');
    await page.getByLabel('Your name').fill('Ada');
    await expectFit(page);
    await dialogButton(page, 'Hide').click();
  };
  const readTexts = async () => {
    const answer = await fetch(`${gateway.url}/api/adaptors/${encodeURIComponent(serviceType)}/reviews`);
    return (await answer.json()).reviews.map((review: { text: string | null }) => review.text);
  };
  for (const [title, kind, label, subject] of [
    ['Hidden pictures on testnet', 'Hide a picture', 'Coin type or publisher', publisher],
    ['Hidden texts of reviews on testnet', 'Hide a text', 'Uri of the text', uri],
  ] as const) {
    await enter(kind, label, subject);
    const hidden = part(page, title);
    await hidden.getByText(subject).waitFor();
    await hidden.getByText('It insults a person. Ada').waitFor();
    if (subject === uri) expect(await readTexts()).toEqual([null]);
    await hidden.getByRole('button', { name: 'Show again' }).click();
    await dialogButton(page, 'Show again').click();
    await hidden.locator('.empty').waitFor();
  }
  expect(await readTexts()).toEqual([words]);
  expect([wrong, reader.wrong]).toEqual([[], []]);
  await close();
  await reader.close();
});

test('a quarantine, a plan and a freeze that replaced those on the page are not ended by it', async () => {
  const post = async (path: string, body: object) => {
    expect((await fetch(gateway.url + path, buildRequest(body, asAdmin))).status).toBe(200);
  };
  const { serviceType: subject } = await gateway.seed.listing({ manifest: { name: 'Twice' } });
  const hide = (reason: string) => post('/api/admin/quarantines', { subject, reason, operator: 'Ada' });
  await hide('A mistake?');
  await post('/api/agent/plans', { owner, plan: 'trial' });
  await post('/api/agent/freezes', { reason: 'A test' });

  const { page, wrong, close } = await signedIn('/operator/listings');
  const refused = page.locator('dialog .notice.danger');
  const quarantines = part(page, 'Quarantines of testnet');
  await quarantines.getByText('A mistake?').waitFor();
  await post('/api/admin/quarantines/release', { subject, reason: 'It was', operator: 'Ada' });
  await hide('It steals');
  await quarantines.getByRole('button', { name: 'Release' }).click();
  await page.getByLabel('Reason').fill('Fixed');
  await page.getByLabel('Your name').fill('Ben');
  await dialogButton(page, 'Release').click();
  await refused.getByText('It steals').waitFor();

  await page.goto(`${site}/operator/agent`);
  await part(page, 'Plans').getByRole('cell', { name: 'trial', exact: true }).waitFor();
  await post('/api/agent/plans', { owner, plan: 'pro' });
  await part(page, 'Plans').getByRole('button', { name: 'End' }).click();
  await dialogButton(page, 'End the plan').click();
  await refused.getByText('replaced by a later one').waitFor();
  await dialogButton(page, 'Cancel').click();
  await post('/api/agent/freezes', { reason: 'A theft' });
  await part(page, 'Freezes').getByRole('button', { name: 'Lift' }).click();
  await dialogButton(page, 'Lift the freeze').click();
  await refused.getByText('set again').waitFor();

  expect(wrong.splice(0)).toEqual(Array(3).fill(expect.stringContaining('409')));
  await page.reload();
  await part(page, 'Plans').getByRole('button', { name: 'End' }).click();
  await dialogButton(page, 'End the plan').click();
  await part(page, 'Plans').getByText('No plan is active').waitFor();
  await part(page, 'Freezes').getByRole('button', { name: 'Lift' }).click();
  await dialogButton(page, 'Lift the freeze').click();
  await part(page, 'Freezes').getByText('Nothing is frozen').waitFor();
  expect(wrong).toEqual([]);
  await close();
});

test('a run that no node can report on is settled once its outcome was looked up', async () => {
  const id = await addRun(gateway.db.pool, { state: 'unknown', wallet: 0xb7 });
  const { page, wrong, close } = await signedIn('/operator/agent');
  const waiting = part(page, 'Runs to settle');
  await waiting.getByText(`Run ${id}: spend`).waitFor();
  await waiting.getByRole('button', { name: 'Settle' }).click();
  await page.getByLabel(/It did not execute/).check();
  await page.getByLabel('How you know').fill('Two archives do not have it.');
  await expectFit(page);
  await dialogButton(page, 'Settle this run').click();
  await waiting.getByText('No run waits for you').waitFor();
  const { rows } = await gateway.db.pool.query('select state, settled_note from agent_runs where id = $1', [
    id,
  ]);
  expect(rows).toEqual([{ state: 'failed', settled_note: 'Two archives do not have it.' }]);
  expect(wrong).toEqual([]);
  await close();
});

test('an update of a confirmed adaptor is read field by field, and confirmed', async () => {
  const { page, wrong, close } = await signedIn('/operator/listings');
  const confirmed = part(page, 'Confirmed adaptors');
  await confirmed.getByText('Changed since').waitFor();
  await confirmed.locator('summary').click();
  await confirmed.getByText('manifest.feeBps').waitFor();
  await part(page, 'Listings of testnet').getByText('Publisher not verified').waitFor();
  await expectFit(page);
  await confirmed.getByRole('button', { name: 'Confirm the update' }).click();
  await dialogButton(page, 'Confirm this version').click();
  await confirmed.getByText('Runs that need a confirmation call version 1.').waitFor();

  await confirmed.getByRole('button', { name: 'Remove' }).click();
  await dialogButton(page, 'Remove').click();
  await confirmed.getByText('No adaptor is confirmed').waitFor();
  expect(wrong).toEqual([]);
  await close();
});

test('an adaptor is confirmed at the version that the operator names, and at no other', async () => {
  const { page, wrong, close } = await signedIn('/operator/listings');
  const confirmed = part(page, 'Confirmed adaptors');
  await confirmed.getByRole('button', { name: 'Confirm an adaptor' }).click();
  await expectFit(page);
  const confirm = async (serviceType: string, manifestHash: string) => {
    await page.getByLabel('Service type').fill(serviceType);
    await page.getByLabel('Manifest hash').fill(manifestHash);
    await dialogButton(page, 'Confirm this version').click();
  };
  const refused = page.locator('dialog .notice.danger');
  await confirm(`${address(0xbad)}::no::No`, readHash);
  await refused.waitFor();
  // The manifest's version from before the update.
  await confirm(updated.serviceType, readHash);
  await refused.getByText('hash').waitFor();
  expect(wrong.splice(0)).toEqual([expect.stringMatching(/404/), expect.stringMatching(/4\d\d/)]);
  const listing = await (await fetch(`${gateway.url}/api/adaptors/${updated.serviceType}`)).json();
  await confirm(updated.serviceType, listing.adaptor.manifestHash);
  await confirmed.getByText('Runs that need a confirmation call version 1.').waitFor();
  await confirmed.locator('.badge.good', { hasText: 'Confirmed' }).waitFor();

  await confirmed.getByRole('button', { name: 'Remove' }).click();
  await dialogButton(page, 'Remove').click();
  await confirmed.getByText('No adaptor is confirmed').waitFor();
  expect(wrong).toEqual([]);
  await close();
});

test('the overview reads again while one looks at it, and measures how fast sources read', async () => {
  const { page, wrong, close } = await signedIn('/operator');
  await page.clock.install();
  await page.reload();
  const waiting = part(page, 'For you to do');
  const sources = part(page, 'Sources');
  await sources.getByText('measuring').first().waitFor();
  expect(await waiting.getByText('may have executed').count()).toBe(0);
  const id = await addRun(gateway.db.pool, { state: 'unknown', wallet: 0xb8 });
  await page.clock.fastForward(10_000);
  await waiting.getByText('1 run may have executed').waitFor();
  await sources.getByText('checkpoints/s').first().waitFor();
  // The charts have a value for each read.
  const titles = await sources.locator('.chart .title').allInnerTexts();
  expect(titles).toContain('registry: seconds behind');
  expect(titles).toContain('registry: events a second');
  const drawing = sources.locator('.chart > svg[role=slider]').nth(1);
  await drawing.focus();
  await page.keyboard.press('End');
  await sources
    .locator('.reading', { hasText: /^\d\d:\d\d:\d\d: \d/ })
    .first()
    .waitFor();
  await gateway.db.pool.query('delete from agent_runs where id = $1', [id]);
  await page.clock.fastForward(10_000);
  await waiting.getByText('may have executed').waitFor({ state: 'detached' });
  expect(wrong).toEqual([]);
  await close();
});

test('an API key is shown once, works, and is refused after it is revoked', async () => {
  const { page, wrong, close } = await signedIn('/operator/keys');
  await page.getByRole('button', { name: 'Issue a key' }).click();
  await page.getByLabel('Integrator').fill('<b>acme</b>');
  await dialogButton(page, 'Issue key').click();
  const key = await page.getByLabel('Shown this once').inputValue();
  expect(key).toMatch(/^mk_\w{43}$/);
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(key);
  await dialogButton(page, 'I have copied it').click();
  await part(page, 'API keys').getByText('<b>acme</b>').waitFor();
  expect(String(await reach(page))).not.toContain(key);
  const read = async () => {
    const { status } = await fetch(`${gateway.url}/api/adaptors`, { headers: { 'x-api-key': key } });
    return status;
  };
  expect(await read()).toBe(200);
  await expectFit(page);

  await page.getByRole('button', { name: /^Revoke key_/ }).click();
  await page.locator('dialog').getByText('cannot be restored').waitFor();
  await dialogButton(page, 'Revoke key').click();
  await part(page, 'API keys').getByText('No API key yet').waitFor();
  expect(await read()).toBe(401);
  expect(wrong).toEqual([]);
  await close();
});

test('a plan is granted to an owner, and ended', async () => {
  const { page, wrong, close } = await signedIn('/operator/agent');
  const plans = part(page, 'Plans');
  await plans.getByRole('button', { name: 'Grant a plan' }).click();
  await page.getByLabel('Owner').fill(owner);
  await page.getByLabel('Plan', { exact: true }).fill('pro');
  await page.getByLabel('Days').fill('30');
  await dialogButton(page, 'Grant plan').click();
  await plans.getByRole('cell', { name: 'pro', exact: true }).waitFor();
  await plans.getByRole('button', { name: 'End' }).click();
  await dialogButton(page, 'End the plan').click();
  await plans.getByText('No plan is active').waitFor();
  expect(wrong).toEqual([]);
  await close();
});

test('settings are shown without secrets', async () => {
  const { page, wrong, close } = await signedIn('/operator/settings');
  const row = page.getByRole('row', { name: /^MARKETPLACE_ADMIN_SECRET/ });
  expect(await row.locator('.badge').innerText()).toBe('Set');
  expect(String(await reach(page))).not.toContain(adminSecret);
  await expectFit(page);
  expect(wrong).toEqual([]);
  await close();
});

test('without a store, and without script, the page says what is needed', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site}/operator`);
  expect(await page.locator('main').innerText()).toContain('This page needs script');
  const bare = await startTestGateway();
  await page.goto(`${bare.url}/operator`);
  expect(await page.locator('main').innerText()).toContain('This host has no key-value store');
  await bare.close();
  const withoutSecret = await startTestGateway(undefined, {
    access: {
      kv: createMemoryKv(),
      anonymousPerMinute: 100,
      trustProxy: 0,
    },
  });
  await page.goto(`${withoutSecret.url}/operator/keys`);
  expect(await page.locator('main').innerText()).toContain('Set MARKETPLACE_ADMIN_SECRET');
  await withoutSecret.close();
  await context.close();
  expect((await fetch(`${site}/operator`, { headers: asAdmin })).status).toBe(200);
});
