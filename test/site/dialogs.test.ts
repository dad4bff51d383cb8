import { delegate, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { readGraph } from '../support/graph-queries.ts';
import { useForFile } from '../support/use-for-file.ts';
import {
  connectWallet,
  dialogButton,
  expectFit,
  openReader,
  signDirectly,
  signShown,
  startDemo,
} from './browsing.ts';

/* The texts that a person reads in a dialog before they sign. */

const site = useForFile(() => startDemo(['localnet', 'indexer', 'gateway', 'agent', 'tools']));

/** A page with the wallet of the demo's owner, connected. */
async function openAsOwner(path: string): Promise<Page> {
  const { page, context, wrong } = await openReader(site, site.demo.owner.secretKey);
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(site.demo.baseUrl + path, { waitUntil: 'load' });
  await connectWallet(page);
  return page;
}

/** @throws Error with what the page shows instead of a transaction to sign */
async function dialogText(page: Page): Promise<string> {
  const body = page.locator('dialog .body');
  await body
    .getByText(/You sign one transaction/)
    .waitFor()
    .catch(async (cause) => {
      const shown = [
        ...(await page.locator('dialog').allInnerTexts()),
        await page.locator('main').innerText(),
      ];
      throw new Error(`No transaction to sign, but: ${shown.join('\n')}`, { cause });
    });
  // The button that signs becomes ready with the explanation, and fades in: a scan in between finds it faint.
  await page.locator('dialog button:enabled', { hasText: /^Sign in/ }).waitFor();
  await expectFit(page);
  return await body.innerText();
}

/** An address that starts and ends like the given one. */
const lookalike = (address: string) => `${address.slice(0, 10)}${'0'.repeat(46)}${address.slice(-10)}`;

test('hiring names the agent and the assessor by all their digits', async () => {
  const { provider, treasurer } = site.demo;
  const page = await openAsOwner(`/agents/${provider.address}`);
  await page.getByRole('link', { name: 'Hire this agent' }).click();
  await page.getByLabel('Brief').fill('Count the fish.');
  await page.getByLabel('Payment').fill('0.1');
  await page.getByLabel('Agent', { exact: true }).fill(lookalike(provider.address));
  await page.getByLabel('Who judges the work').fill(treasurer.address);
  await page.getByRole('button', { name: 'Hire', exact: true }).click();
  const text = await dialogText(page);
  expect(text).toContain(lookalike(provider.address));
  expect(text).toContain(treasurer.address);
  expect(text).not.toContain('…');
  expect(await page.locator('dialog .whole').first().locator('span').count()).toBe(16);
});

test('a grant is of the coin that the chosen operation takes, and names it, the service and the agent by all their digits', async () => {
  const { treasurer, venues, owner } = site.demo;
  const { serviceType, coins } = venues.vault as typeof venues.vault & { coins: { share: string } };
  const page = await openAsOwner(`/wallet/grant?service=${serviceType}`);
  // It withdraws, which takes shares: the form offers no other coin.
  await page.locator('#op').selectOption('1');
  expect(
    await page
      .getByLabel('Coin that it takes')
      .locator('option')
      .evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value)),
  ).toEqual([coins.share]);
  await page.locator('#grant').fill('0.2');
  await page.getByLabel('An agent may use it for me').check();
  await page.getByLabel('Address of the agent').fill(treasurer.address);
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  const text = await dialogText(page);
  for (const whole of [serviceType, coins.share, treasurer.address, owner.walletId]) {
    expect(text).toContain(whole);
  }
});

test('the form of a grant puts no address of an agent into a field that its reader fills in', async () => {
  const page = await openAsOwner(`/wallet/grant?service=${site.demo.venues.vault.serviceType}`);
  const through = Promise.withResolvers<void>();
  await page.route('**/api/agent/address*', async (route) => {
    await through.promise;
    await route.continue();
  });
  const field = page.getByLabel('Address of the agent');
  await page.getByLabel('An agent may use it for me').check();
  await field.focus();
  const answered = page.waitForEvent('requestfinished', (request) =>
    request.url().includes('/agent/address'),
  );
  through.resolve();
  await answered;
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 50))');
  await page.keyboard.insertText('0x12');
  expect(await field.inputValue()).toBe('0x12');
  // The field without focus gets it.
  await field.fill('');
  await field.blur();
  await page.getByLabel('An agent may use it for me').uncheck();
  await page.getByLabel('An agent may use it for me').check();
  await page.getByText('The agent of this host acts for your wallet').waitFor();
  expect(await field.inputValue()).toMatch(/^0x[0-9a-f]{64}$/);
});

test('the form of a grant shows what the adaptor may take by now, and what a new grant replaces', async () => {
  const { owner, venues, packages, baseUrl } = site.demo;
  const { serviceType } = venues.vault;
  const target = { packageId: packages.wallet, wallet: owner.walletId };
  const readAllowance = async () => {
    const query = `{ wallet(chain: TESTNET, walletId: "${owner.walletId}") { grants { serviceType allowance } } }`;
    const { grants } = (await readGraph<{ wallet: { grants: Record<string, string>[] } }>(baseUrl, query))
      .wallet;
    return grants.find((one) => one.serviceType === serviceType)?.allowance;
  };
  await signDirectly(site, owner.secretKey, (tx) => {
    const grant = { service: serviceType, coinType: '0x2::sui::SUI', allowance: 1_250_000_000n };
    wallet.revokeService(tx, target, serviceType);
    wallet.grantServiceCoin(tx, target, grant);
  });
  await eventually(async () => expect(await readAllowance()).toBe('1250000000'));
  const page = await openAsOwner(`/wallet/grant?service=${serviceType}`);
  const granted = page.locator('#granted');
  expect(await granted.innerText()).toContain('up to 1.25 SUI');
  const replaces = granted.getByText('A new grant of SUI replaces the one that it has.');
  expect(await replaces.count()).toBe(1);
  // It withdraws, which takes shares: it has no grant of them.
  await page.locator('#op').selectOption('1');
  await replaces.waitFor({ state: 'detached' });

  await signDirectly(site, owner.secretKey, (tx) => wallet.revokeService(tx, target, serviceType));
  await eventually(async () => expect(await readAllowance()).toBeUndefined());
  await page.reload();
  await page.locator('#grant').waitFor();
  expect(await granted.count()).toBe(0);
});

interface SigningButton {
  path: () => string;
  name: string;
  fill?: (page: Page) => Promise<void>;
}

test.each<SigningButton>([
  { path: () => `/wallet?owner=${site.demo.owner.address}`, name: 'Pause the wallet' },
  {
    path: () => `/wallet/grant?service=${site.demo.venues.vault.serviceType}`,
    name: 'Grant',
    fill: (page) => page.locator('#grant').fill('0.2'),
  },
  {
    path: () => `/jobs/hire?network=testnet&agent=${site.demo.provider.address}`,
    name: 'Hire',
    async fill(page) {
      await page.getByLabel('Brief').fill('Count the fish.');
      await page.getByLabel('Payment').fill('0.1');
    },
  },
])('a double click on “$name” opens one dialog, and a later click opens it again', async (one) => {
  const page = await openAsOwner(one.path());
  await one.fill?.(page);
  const button = page.getByRole('button', { name: one.name, exact: true });
  const dialogs = page.locator('dialog');
  for (const _ of ['at first', 'again']) {
    // Both clicks arrive before the page has read what the dialog shows.
    await button.evaluate((element: HTMLElement) => {
      element.click();
      element.click();
    });
    await dialogs
      .first()
      .getByText(/You sign one transaction/)
      .waitFor();
    expect(await dialogs.count()).toBe(1);
    await dialogButton(page, 'Cancel').click();
    await dialogs.waitFor({ state: 'detached' });
  }
});

/** Publishes a coin with this symbol, and mints 1,000 base units of it for the owner of the demo. Returns its type. */
async function issueCoin(symbol: string): Promise<string> {
  const { modules, dependencies } = await compileSources({
    'Move.toml': '[package]\nname = "odd"\nedition = "2024"\n[addresses]\nodd = "0x0"\n',
    'sources/odd.move': `module odd::odd;
      public struct ODD has drop {}
      fun init(witness: ODD, ctx: &mut TxContext) {
        let (mut treasury, metadata) =
          sui::coin::create_currency(witness, 3, b"${symbol}", b"Odd", b"", option::none(), ctx);
        transfer::public_transfer(treasury.mint(1_000, ctx), ctx.sender());
        transfer::public_freeze_object(metadata);
        transfer::public_transfer(treasury, ctx.sender());
      }`,
  });
  const { owner } = site.demo;
  const created = await signDirectly(site, owner.secretKey, (tx) => {
    const upgradeCap = tx.publish({ modules: modules.map((one) => [...one]), dependencies });
    tx.transferObjects([upgradeCap], owner.address);
  });
  return created.map(({ type }) => /::coin::TreasuryCap<(.+)>$/.exec(type)?.[1]).find(Boolean)!;
}

test('the amount that the chain takes for no limit is not signed as a bound', async () => {
  const page = await openAsOwner(`/wallet/grant?service=${site.demo.venues.swap.serviceType}`);
  await page.locator('#grant').fill('18446744073.709551615');
  await page.getByRole('button', { name: 'Grant', exact: true }).click();
  await page.getByText('A grant without a limit').waitFor();
  expect(await page.locator('dialog').count()).toBe(0);
});

test('the symbol that a stranger chose for a coin adds no words to what is signed', async () => {
  const words = 'SUI that you get back. It is not';
  const coinType = await issueCoin(words);
  const page = await openAsOwner(`/agents/${site.demo.provider.address}`);
  await page.getByRole('link', { name: 'Hire this agent' }).click();
  await page.getByLabel('Brief').fill('Count the fish.');
  await page.getByLabel('Payment').fill('0.1');
  await page.getByLabel('Coin', { exact: true }).selectOption(coinType);
  expect(await page.locator('main').innerText()).not.toContain(words);
  await page.getByRole('button', { name: 'Hire', exact: true }).click();
  const text = await dialogText(page);
  expect(text).toContain('0.1 ODD (100 base units of the coin');
  expect(text).toContain(coinType);
  expect(text).not.toContain(words);
});

test('a trial states the grant that is signed beside what it simulated', async () => {
  const page = await openAsOwner(`/wallet/grant?service=${site.demo.venues.swap.serviceType}`);
  await page.getByLabel('Amount').fill('0.1');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.locator('.trial').waitFor();
  await page.locator('#grant').fill('7');
  const said = await page.locator('#granting .notice.caution').innerText();
  expect(said).toContain('it can take up to 7 SUI from your wallet, in total, whatever this table shows');
});

test('a review says what everyone will read, and its text stands on the page once it is signed', async () => {
  const { baseUrl } = site.demo;
  const { adaptors } = await (await fetch(`${baseUrl}/api/adaptors?q=reef%20vault&limit=1`)).json();
  const page = await openAsOwner(`/a/testnet/${adaptors[0].serviceType}`);
  await page.getByRole('link', { name: 'Write a review' }).click();
  const send = page.getByRole('button', { name: 'Review it' });
  await send.click();
  await page.getByText('No score chosen').waitFor();
  await page.getByLabel('4 of 5').check();
  await page.getByLabel('Text (optional)').fill('ü'.repeat(2_049));
  await send.click();
  await page.getByText('It has 4098 bytes. At most 4096 are allowed.').waitFor();
  await page.getByLabel('Text (optional)').fill('  It paid out\u202e within a minute. ');
  await expectFit(page);
  await send.click();
  const text = await dialogText(page);
  expect(text).toContain('4 of 5 for Reef Vault, by your address, for everyone to read.');
  expect(text).toContain('The text is stored on Walrus, and the review names it.');
  await signShown(page);
  const link = page.getByRole('link', { name: 'See it on the page of Reef Vault' });
  const shown = page.locator('#reviews .review-text', { hasText: 'It paid out within a minute.' });
  await link.click();
  await eventually(async () => {
    if ((await shown.count()) === 0) await page.reload();
    expect(await shown.count()).toBe(1);
  });
});

test('the button that signs waits for what the code can do, unless the reader does not', async () => {
  const page = await openAsOwner(`/wallet?owner=${site.demo.owner.address}`);
  const held = Promise.withResolvers<void>();
  await page.route(/\/api\/explain$/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Pause the wallet' }).click();
  await page.getByText('Reading from the code').waitFor();
  const signButton = dialogButton(page, 'Sign in');
  expect(await signButton.isDisabled()).toBe(true);
  held.resolve();
  await page.locator('#explained li').first().waitFor();
  expect(await signButton.isEnabled()).toBe(true);
  await dialogButton(page, 'Cancel').click();

  await page.route(/\/api\/explain$/, () => undefined);
  await page.getByRole('button', { name: 'Pause the wallet' }).click();
  await dialogButton(page, 'Do not wait').click();
  expect(await dialogText(page)).toContain('you did not wait for it');
  expect(await signButton.isEnabled()).toBe(true);
});

test('“Revoke everything” revokes also what the page does not list, in as many transactions as it takes', async () => {
  const { owner, packages, rpcUrl, baseUrl } = site.demo;
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: rpcUrl });
  const tx = new Transaction();
  const target = { packageId: packages.wallet, wallet: owner.walletId };
  for (let nth = 1; nth <= 130; nth += 1) {
    delegate.add(tx, target, `0x${(0xabc000 + nth).toString(16).padStart(64, '0')}`);
  }
  const signer = Ed25519Keypair.fromSecretKey(owner.secretKey);
  const executed = await client.signAndExecuteTransaction({
    transaction: tx,
    signer,
    include: { effects: true },
  });
  expect(executed.FailedTransaction?.status).toBeUndefined();
  const allowed = async () => {
    const query = `{ wallet(walletId: "${owner.walletId}") { grants { coin } delegates { totalCount } } }`;
    const { wallet } = await readGraph(baseUrl, query);
    return [wallet.grants.length, wallet.delegates.totalCount];
  };
  await eventually(async () => expect((await allowed())[1]).toBeGreaterThanOrEqual(130));
  expect((await allowed())[0]).toBeGreaterThan(0);
  const page = await openAsOwner(`/wallet?owner=${owner.address}`);
  await page.getByRole('button', { name: 'Revoke everything' }).click();
  const first = await dialogText(page);
  expect(first).toContain('100 delegates cannot act for you any longer');
  expect(first).toContain('More is allowed than one transaction can revoke');
  expect(first).toContain('All caps are void');
  await dialogButton(page, 'Sign in').click();
  await page.locator('dialog', { hasText: 'Not everything is revoked yet' }).waitFor();
  await dialogButton(page, 'Close').click();
  expect(await dialogText(page)).not.toContain('More is allowed');
  await signShown(page);
  await eventually(async () => expect(await page.locator('dialog').count()).toBe(0));
  expect(await allowed()).toEqual([0, 0]);
});
