import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectWallet, type Demo, expectFit, readerOf, signShown, startDemo } from './browsing.ts';

let site: Demo;
beforeAll(async () => {
  site = await startDemo(['localnet', 'indexer', 'gateway', 'agent', 'tools']);
});
afterAll(async () => {
  await site?.close();
});

test('an owner signs in, has the agent run an operation, watches it to its end, and finds it in the history', async () => {
  const { demo } = site;
  const { page, context, wrong } = await readerOf(site, demo.owner.secretKey);
  const { serviceType } = demo.venues.swap;
  await page.goto(`${demo.baseUrl}/runs?wallet=${demo.owner.walletId}&service=${serviceType}`);
  await connectWallet(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Amount').fill('0.1');
  await expectFit(page);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.locator('#starting .notice').waitFor();
  const said = await page.locator('#starting .notice').innerText();
  expect(said).toContain('It would succeed now');
  expect(said).toContain('At most 0.1 SUI can leave your wallet');

  await page.getByRole('button', { name: 'Run it now' }).click();
  await page.waitForURL(/\/runs\/\d+/);
  await page.locator('#run .notice.good').waitFor();
  expect(await page.locator('#run').innerText()).toContain('The chain confirms it');
  await expectFit(page);
  await page.getByRole('link', { name: 'All runs of this wallet' }).click();
  await page.locator('#runs td', { hasText: 'call' }).first().waitFor();
  await expectFit(page);

  // The session is a cookie that no script reads: not in storage, and not on the page.
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

  // Another owner sees nothing of it.
  const stranger = await readerOf(site, demo.provider.secretKey);
  await stranger.page.goto(`${demo.baseUrl}/runs/1`);
  await connectWallet(stranger.page);
  await stranger.page.getByRole('button', { name: 'Sign in' }).click();
  await stranger.page.locator('#run .notice.danger').waitFor();
  expect(await stranger.page.locator('#run').innerText()).not.toContain('The chain confirms it');
});

test('a grant with an agent gives it a budget that expires, in one transaction', async () => {
  const { demo } = site;
  const { page, wrong } = await readerOf(site, demo.owner.secretKey);
  const { serviceType } = demo.venues.swap;
  await page.goto(`${demo.baseUrl}/wallet/grant?service=${serviceType}`);
  await connectWallet(page);
  await page.locator('#grant').fill('0.2');
  await page.getByLabel('An agent may use it for me').check();
  // The address of the host's agent for this wallet is proposed.
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
  expect(wrong).toEqual([]);
});
