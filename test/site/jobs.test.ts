import { escrow } from '@adaptor-marketplace/adaptor/transactions';
import type { Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import {
  connectWallet,
  dialogButton,
  expectFit,
  openReader,
  type Reader,
  signDirectly,
  signShown,
  startDemo,
  switchAccount,
} from './browsing.ts';

let owner: Reader;
let provider: Reader;
const site = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(async () => {
  owner = await openReader(site, site.demo.owner.secretKey);
  provider = await openReader(site, site.demo.provider.secretKey);
});

const open = (page: Page, path: string) => page.goto(site.demo.baseUrl + path, { waitUntil: 'load' });
const act = (page: Page, name: string) => page.locator('#job').getByRole('button', { name });
const locateState = (page: Page, word: string) => page.locator('#job .badge', { hasText: word }).first();

/** Waits until the index has the job that a transaction created. Returns its id. */
async function waitForJob(created: { id: string; type: string }[]): Promise<string> {
  const { id } = created.find(({ type }) => type.includes('::job::Job<'))!;
  await eventually(async () => {
    const answer = await fetch(`${site.demo.baseUrl}/api/escrow/jobs?jobId=${id}`);
    expect(answer.status).toBe(200);
  });
  return id;
}

/** Creates a job of the owner's for the provider, signed outside of the browser. */
async function hireDirectly(brief: string, termMs: number, { isPaid = true } = {}): Promise<string> {
  const { owner, provider, packages } = site.demo;
  const created = await signDirectly(site, owner.secretKey, (tx) =>
    escrow.createJob(tx, packages.escrow, {
      walletId: owner.walletId,
      provider: provider.address,
      assessor: owner.address,
      coinType: '0x2::sui::SUI',
      amount: 300_000_000n,
      brief,
      deadlineMs: BigInt(Date.now() + termMs),
      ...(isPaid && { funding: tx.splitCoins(tx.gas, [300_000_000n]) }),
    }),
  );
  return await waitForJob(created);
}

test.each([360, 820, 1_440])('the button to hire stands apart from the address at %i px', async (width) => {
  const { page } = owner;
  const { width: before, height } = page.viewportSize()!;
  await page.setViewportSize({ width, height: 900 });
  onTestFinished(() => page.setViewportSize({ width: before, height }));
  await open(page, `/agents/${site.demo.provider.address}`);
  const address = await page.locator('p', { hasText: site.demo.provider.address }).boundingBox();
  const button = await page.getByRole('link', { name: 'Hire this agent' }).boundingBox();
  expect(button!.y - (address!.y + address!.height)).toBeGreaterThanOrEqual(8);
});

test('an owner hires, the agent submits, and the owner pays, each seeing the other without reload', async () => {
  const { page } = owner;
  await open(page, `/agents/${site.demo.provider.address}`);
  await page.getByRole('link', { name: 'Hire this agent' }).click();
  await connectWallet(page);
  await page.getByLabel('Brief').fill('Name the three risks of the vault.\nOne sentence each.');
  await page.getByLabel('Payment').fill('0.25');
  await expectFit(page);
  await page.getByRole('button', { name: 'Hire', exact: true }).click();
  const asked = page.locator('dialog .body');
  await asked.getByText(/It costs about/).waitFor();
  expect(await asked.innerText()).toContain('0.25 SUI leave your address, and wait in escrow.');
  await signShown(page);
  await page.waitForURL(/\/jobs\/0x/);
  await locateState(page, 'Funded').waitFor();
  expect(await page.locator('h1').innerText()).toContain('Name the three risks of the vault.');
  expect(await act(page, 'Submit work').isVisible()).toBe(false);
  await act(page, 'Cancel the job').waitFor();

  const url = page.url();
  await provider.page.goto(url);
  await connectWallet(provider.page);
  expect(await act(provider.page, 'Cancel the job').isVisible()).toBe(false);
  await act(provider.page, 'Submit work').click();
  await provider.page.getByLabel('Note').fill('Rounding, the switch, and its oracle.');
  await dialogButton(provider.page, 'Continue').click();
  await signShown(provider.page);
  await locateState(provider.page, 'Submitted').waitFor();

  // The owner's page follows the chain, and offers the owner's next step.
  await act(page, 'Accept and pay').waitFor();
  expect(await page.locator('#job').innerText()).toContain('Rounding, the switch, and its oracle.');
  await expectFit(page);
  await page.evaluate('globalThis.rejectNext = true');
  await act(page, 'Accept and pay').click();
  await asked.getByText(/0.25 SUI go from escrow to the agent/).waitFor();
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog', { hasText: 'You rejected the signature' }).waitFor();
  await dialogButton(page, 'Try again').click();
  await signShown(page);
  await locateState(page, 'Paid').waitFor();
  expect(await page.locator('#job').innerText()).toContain('The assessor accepted the work');
  // Each step names its transaction. One transaction created and paid the job.
  const codes = await page.locator('#job .history code').all();
  const digests = await Promise.all(codes.map((code) => code.getAttribute('title')));
  expect(digests.map((digest) => /^[1-9A-HJ-NP-Za-km-z]{43,44}$/.test(digest ?? ''))).toEqual(
    Array(4).fill(true),
  );
  expect(new Set(digests).size).toBe(3);
  await locateState(provider.page, 'Paid').waitFor();
  expect(await page.locator('#job [data-act]').count()).toBe(0);
});

test('a job that changed meanwhile is not signed for, and the page then shows what can happen', async () => {
  const jobId = await hireDirectly('Draw a map of the reef.', 3_600_000);
  const { page } = owner;
  await open(page, `/jobs/${jobId}`);
  await act(page, 'Cancel the job').click();
  await page
    .locator('dialog')
    .getByText(/0.3 SUI go back/)
    .waitFor();
  const submitter = provider.page;
  await open(submitter, `/jobs/${jobId}`);
  await act(submitter, 'Submit work').click();
  await submitter.getByLabel('Note').fill('A map.');
  await dialogButton(submitter, 'Continue').click();
  await signShown(submitter);
  // The chain refuses the transaction although the simulation succeeded. The next attempt says why.
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog .notice.danger').waitFor();
  await dialogButton(page, 'Try again').click();
  await page.locator('dialog', { hasText: 'The job changed while you looked at it' }).waitFor();
  await dialogButton(page, 'Cancel').click();
  await act(page, 'Reject and refund').click();
  await signShown(page);
  await locateState(page, 'Refunded').waitFor();
});

test('a refund names the address that paid, and not the one that hired', async () => {
  const jobId = await hireDirectly('Paint the pier.', 3_600_000, { isPaid: false });
  await open(provider.page, `/jobs/${jobId}`);
  await act(provider.page, 'Pay into escrow').click();
  const paying = provider.page.locator('dialog .body');
  await paying.getByText(/0.3 SUI leave your address/).waitFor();
  expect(await paying.innerText()).toContain(`Assessor\n${site.demo.owner.address}`);
  await signShown(provider.page);
  const { page } = owner;
  await open(page, `/jobs/${jobId}`);
  await act(page, 'Cancel the job').click();
  const cancelling = page.locator('dialog .body');
  await cancelling.getByText(/0.3 SUI go back/).waitFor();
  expect(await cancelling.innerText()).toContain(`Refund to\n${site.demo.provider.address}`);
  expect(await cancelling.innerText()).not.toContain(site.demo.owner.address);
  await signShown(page);
  await locateState(page, 'Refunded').waitFor();
});

test('an address that pays into escrow sees that a contract judges, and which', async () => {
  const { owner: hirer, packages, venues } = site.demo;
  const { serviceType } = venues.swap;
  const created = await signDirectly(site, hirer.secretKey, (tx) => {
    tx.moveCall({
      target: `${packages.escrow}::job::create_and_share`,
      typeArguments: ['0x2::sui::SUI', serviceType],
      arguments: [
        tx.object(hirer.walletId),
        tx.pure.address(site.demo.provider.address),
        tx.pure.u64(300_000_000n),
        tx.pure.u64(BigInt(Date.now() + 3_600_000)),
        tx.pure.string('Swap at the best price.'),
        tx.object.clock(),
      ],
    });
  });
  const { page } = owner;
  await open(page, `/jobs/${await waitForJob(created)}`);
  expect(await page.locator('#job aside').innerText()).toContain(serviceType);
  await act(page, 'Pay into escrow').click();
  const paying = page.locator('dialog .body');
  await paying.getByText(/0.3 SUI leave your address/).waitFor();
  expect(await paying.innerText()).toContain('A contract judges the work, and not an address.');
  expect(await paying.innerText()).toContain(`Contract that judges\n${serviceType}`);
  await dialogButton(page, 'Cancel').click();
});

test('what one account was shown is not signed by another, to which the wallet has changed', async () => {
  const jobId = await hireDirectly('Wash the buoys.', 3_600_000, { isPaid: false });
  const { page } = owner;
  await open(page, `/jobs/${jobId}`);
  await act(page, 'Pay into escrow').click();
  await page.evaluate('globalThis.rejectNext = true');
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog', { hasText: 'You rejected the signature' }).waitFor();
  await switchAccount(page, site.demo.provider.secretKey);
  await dialogButton(page, 'Try again').click();
  await page.locator('dialog', { hasText: 'Another account is connected now' }).waitFor();
  await switchAccount(page, site.demo.owner.secretKey);
  await dialogButton(page, 'Try again').click();
  await dialogButton(page, 'Sign in').waitFor();
  await switchAccount(page, site.demo.provider.secretKey);
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog', { hasText: 'Another account is connected now' }).waitFor();
  await dialogButton(page, 'Cancel').click();
  await switchAccount(page, site.demo.owner.secretKey);
});

test('after the deadline everyone is offered the refund, and the payment goes back to who paid', async () => {
  const jobId = await hireDirectly('Count the fish.', 8_000);
  const { page } = provider;
  await open(page, `/jobs/${jobId}`);
  await act(page, 'Refund').click();
  await page
    .locator('dialog')
    .getByText(/0.3 SUI go back from escrow/)
    .waitFor();
  await signShown(page);
  await locateState(page, 'Refunded').waitFor();
  expect(await page.locator('#job').innerText()).toContain('It expired.');
});

test('jobs are found by state, owner and agent without script, and a wrong address is named', async () => {
  const context = await site.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await open(page, '/jobs');
  const all = await page.locator('.card').count();
  await page.getByLabel('State').selectOption('released');
  await page.getByLabel('Agent').fill(site.demo.provider.address);
  await page.getByRole('button', { name: 'Filter' }).click();
  const shown = await page.locator('.card .badge').allInnerTexts();
  expect(new Set(shown)).toEqual(new Set(['Paid']));
  expect(shown.length).toBeLessThan(all);
  await page.locator('.card h2 a').first().click();
  expect(await page.locator('main').innerText()).toContain('What can happen next');
  expect(await page.locator('[data-act]').filter({ visible: true }).count()).toBe(0);
  await open(page, '/jobs?owner=0xyz');
  expect(await page.locator('#owner-fault').innerText()).toContain('not an address');
  expect(await page.locator('main').innerText()).toContain('No job matches');
  const answer = await open(page, `/jobs/0x${'7'.repeat(64)}`);
  expect(answer?.status()).toBe(404);
  await context.close();
});

test('the pages of jobs have no error in the browser', () =>
  expect([...owner.wrong, ...provider.wrong]).toEqual([]));

test('a host without an agent says so where runs would be', async () => {
  const { page } = await openReader(site, site.demo.owner.secretKey);
  await open(page, '/runs');
  await connectWallet(page);
  await page.locator('#runs .notice.danger', { hasText: 'This host runs no actions' }).waitFor();
});
