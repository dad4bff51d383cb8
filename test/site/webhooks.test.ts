import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closePages, shareChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { useForFile } from '../support/use-for-file.ts';
import { openWebhookGateway } from '../support/webhook-gateway.ts';
import { dialogButton, expectFit, openReader } from './browsing.ts';

const world = await openWebhookGateway();
const { key, otherKey, addEvents, call, dispatcher } = world;
/** The site as a person opens it. A session requires HTTPS or this host name. */
const site = `http://localhost:${new URL(world.gateway.url).port}`;
const hostile = '</script><img src=x onerror=alert(1)>\n\u202egnp.exe';
let status = 204;
let browser: Browser;
const receiver = useForFile(() =>
  startReceiver((response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end(status === 204 ? undefined : hostile),
  ),
);
beforeAll(async () => {
  browser = await shareChromium();
});
afterAll(async () => {
  await closePages(browser);
  await world.close();
});

/** Opens a page of the portal with a key. Refusals that a test provokes do not count as errors of the page. */
async function signedIn(path: string, secret = key) {
  const { page, context, wrong } = await openReader({ browser });
  await page.goto(site + path);
  await signIn(page, secret);
  const faults = () => wrong.filter((one) => !one.startsWith('Failed to load resource'));
  return { page, context, faults };
}

async function signIn(page: Page, secret: string): Promise<void> {
  await page.getByLabel('API key').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Signed in with an API key of acme').waitFor();
}

const subscribe = async (path: string, fields: object = {}) =>
  (await world.subscribe({ url: receiver.url + path, events: ['Updated'], ...fields })).id;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const delivery = (page: Page, ...words: string[]) =>
  words.reduce((rows, hasText) => rows.filter({ hasText }), page.locator('.deliveries li')).first();
/** Everything that a script of the page can read. */
const reachable = (page: Page) =>
  page.evaluate(
    'document.cookie + JSON.stringify({...localStorage, ...sessionStorage}) + document.documentElement.outerHTML',
  );
const shownSecret = async (page: Page) => {
  const secret = await page.getByLabel('Shown this once').inputValue();
  expect(await reachable(page)).not.toContain(secret);
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  await button(page, 'I have copied it').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  expect(await reachable(page)).not.toContain(secret);
  return secret;
};

test('what is due and not sent for a minute is said, with the role that sends', async () => {
  const id = await subscribe('/waits');
  await call('POST', `/${id}/test`);
  const { page, context } = await signedIn(`/webhooks/${id}`);
  await delivery(page, 'Test', 'Waiting').waitFor();
  expect(await page.getByText('What is due is not sent').count()).toBe(0);
  await page.clock.setFixedTime(Date.now() + 120_000);
  await page.getByText('What is due is not sent').waitFor();
  await context.close();
  await call('DELETE', `/${id}`);
  dispatcher.start();
});

test('the holder of a key adds a webhook, sees its secret once, and reads what was sent', async () => {
  const { page, context, wrong } = await openReader({ browser });
  await page.goto(`${site}/webhooks`);
  await page.getByLabel('API key').fill('mk_wrong');
  await button(page, 'Sign in').click();
  await page.getByText('This API key is wrong or revoked').waitFor();
  await signIn(page, key);
  await page.getByText('This key has no webhook yet').waitFor();

  await page.getByLabel('Url').fill('http://10.0.0.1/hook');
  await button(page, 'Add webhook').click();
  await page.locator('#url-fault').waitFor();
  expect(await page.locator('#url-fault').innerText()).toContain('not public');
  expect(await page.getByLabel('Url').getAttribute('aria-invalid')).toBe('true');
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await page.getByLabel('Url').fill(`${receiver.url}/added`);
  await button(page, 'Add webhook').click();
  await page.locator('#events-fault').waitFor();
  await expectFit(page);
  await page.getByLabel('Updated').check();
  await button(page, 'Add webhook').click();
  await page.getByText('The host keeps it encrypted').waitFor();
  await expectFit(page);
  const secret = await shownSecret(page);

  await page.getByRole('link', { name: `${receiver.url}/added` }).click();
  await page.getByText('Nothing was sent yet').waitFor();
  await button(page, 'Send a test event').click();
  await delivery(page, 'Test', 'Delivered').click();
  await page.locator('.inside', { hasText: '"event": "Test"' }).waitFor();
  const got = receiver.received.find(({ path }) => path === '/added')!;
  expect(new Webhook(secret).verify(got.body.toString(), got.headers)).toMatchObject({ event: 'Test' });

  // Real events appear without a reload. Events outside of the filter never do.
  await addEvents(1, 'Attested');
  const [eventId] = await addEvents(1, 'Updated');
  await delivery(page, 'Updated', 'Delivered').click();
  await page.locator('.inside', { hasText: eventId! }).waitFor();
  expect(await delivery(page, 'Attested').count()).toBe(0);
  await page.getByText('of 2 attempts').waitFor();

  expect(await reachable(page)).not.toContain(key);
  expect(wrong.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([]);
  await context.close();
});

test('what a receiver fails with is seen, its hostile answer is text, and it is sent again', async () => {
  const id = await subscribe('/fails');
  status = 500;
  await addEvents(1, 'Updated');
  const { page, context, faults } = await signedIn(`/webhooks/${id}`);
  await delivery(page, 'Failed', '4 attempts').click();
  const inside = page.locator('.inside', { hasText: 'Answer to attempts 1 to 4' });
  await inside.waitFor();
  const said = await inside.innerText();
  expect(said).toContain('</script><img src=x onerror=alert(1)>');
  expect(said).toContain('[U+202E]gnp.exe');
  expect(said).toContain('HTTP status 500');
  expect(await page.locator('.deliveries img').count()).toBe(0);
  await expectFit(page);
  await page.getByLabel('State').selectOption('delivered');
  await page.getByText('No delivery is in this state').waitFor();
  await page.getByLabel('State').selectOption('failed');
  status = 204;
  const again = delivery(page, 'Failed');
  await again.locator('summary').click();
  await again.getByRole('button', { name: 'Send again' }).click();
  await page.getByLabel('State').selectOption('');
  await delivery(page, 'Delivered', '5 attempts').waitFor();

  const before = receiver.ids('/fails').length;
  await page.getByLabel('Events of').selectOption('all time');
  await page.locator('form', { hasText: 'Events of' }).getByRole('button').click();
  await page.getByText(/^[1-9]\d* events? (is|are) sent again/).waitFor();
  await eventually(() => expect(receiver.ids('/fails').length).toBeGreaterThan(before));
  expect(faults()).toEqual([]);
  await context.close();
});

test('older deliveries come when they are asked for, and stay while newer ones come', async () => {
  const id = await subscribe('/many');
  await addEvents(23, 'Updated');
  await eventually(() => expect(receiver.ids('/many')).toHaveLength(23));
  const { page, context, faults } = await signedIn(`/webhooks/${id}`);
  await button(page, 'Older deliveries').click();
  const rows = page.locator('.deliveries li');
  await eventually(async () => expect(await rows.count()).toBe(23));
  await addEvents(1, 'Updated');
  await eventually(async () => expect(await rows.count()).toBe(24));
  expect(faults()).toEqual([]);
  await context.close();
});

test('a webhook is paused, resumed, changed, and deleted when that is confirmed', async () => {
  const id = await subscribe('/changed');
  const { page, context, faults } = await signedIn(`/webhooks/${id}`);
  await button(page, 'Pause').click();
  await page.locator('h2 .badge', { hasText: 'Paused' }).waitFor();
  expect(await button(page, 'Send a test event').count()).toBe(0);
  await button(page, 'Resume').click();
  await page.locator('h2 .badge', { hasText: 'Active' }).waitFor();
  await page.getByLabel('Url').fill('http://[::1]/');
  await button(page, 'Save').click();
  await page.locator('#url-fault').waitFor();
  await page.getByLabel('Url').fill(`${receiver.url}/moved`);
  await page.getByLabel('Unlisted').check();
  await button(page, 'Save').click();
  await page.getByText('The settings are saved').waitFor();
  await button(page, 'Send a test event').click();
  await delivery(page, 'Test', 'Delivered').waitFor();
  expect(receiver.ids('/moved')).toHaveLength(1);

  await button(page, 'Delete the webhook').click();
  await dialogButton(page, 'Cancel').click();
  await button(page, 'Delete the webhook').click();
  await dialogButton(page, 'Delete').click();
  await page.waitForURL(`${site}/webhooks`);
  await page.getByRole('heading', { name: 'Your webhooks' }).waitFor();
  expect(await page.getByRole('link', { name: '/moved' }).count()).toBe(0);
  expect(faults()).toEqual([]);
  await context.close();
});

test('while a secret is rotated two are valid, and the rotation can be ended', async () => {
  const before = 'the-secret-before-it';
  const id = await subscribe('/rotated', { secret: before });
  const { page, context, faults } = await signedIn(`/webhooks/${id}`);
  const accepted = async (...secrets: string[]) => {
    const count = receiver.ids('/rotated').length;
    await button(page, 'Send a test event').click();
    await eventually(() => expect(receiver.ids('/rotated').length).toBeGreaterThan(count));
    const { body, headers } = receiver.received.findLast(({ path }) => path === '/rotated')!;
    return secrets.filter((secret) => {
      try {
        return new Webhook(secret).verify(body.toString(), headers);
      } catch {
        return false;
      }
    });
  };
  await button(page, 'Rotate the secret').click();
  await dialogButton(page, 'Rotate').click();
  const after = await shownSecret(page);
  await page.getByText('Two secrets are valid').waitFor();
  const raw = `whsec_${Buffer.from(before).toString('base64')}`;
  expect(await accepted(raw, after)).toEqual([raw, after]);
  await button(page, 'End the rotation').click();
  await page.getByText('The previous secret is no longer valid').waitFor();
  expect(await accepted(raw, after)).toEqual([after]);
  expect(faults()).toEqual([]);
  await context.close();
});

test('the holder of a key sees which webhooks the host has lost', async () => {
  const id = await subscribe('/lost');
  await world.kv.delete(`wh:${id}`);
  await world.kv.hashDelete('webhooks', id);
  const { page, context, faults } = await signedIn('/webhooks');
  const lost = page.getByText('They receive nothing until its operator restores the key-value store');
  await lost.getByText(id).waitFor();
  expect(faults()).toEqual([]);
  await context.close();
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
});

test('another key sees nothing of it', async () => {
  const id = await subscribe('/private');
  const { page, context } = await signedIn(`/webhooks/${id}`, otherKey);
  await page.getByText('Your key has no webhook of this id').waitFor();
  expect(await page.locator('main').innerText()).not.toContain('/private');
  await page.goto(`${site}/webhooks`);
  await page.getByText('This key has no webhook yet').waitFor();
  await context.close();
});

test('a limit is said where one acts, and an ended session brings the form back', async () => {
  const id = await subscribe('/limited');
  const { page, context } = await signedIn(`/webhooks/${id}`);
  const body = {
    type: '/errors/rate_limited',
    title: 'Rate limit exceeded',
    status: 429,
    code: 'rate_limited',
    detail: 'Send the request again in 20 seconds.',
    requestId: 'x',
  };
  await page.route('**/test', (route) => route.fulfill({ status: 429, json: body }));
  await button(page, 'Send a test event').click();
  await page.getByText('Send the request again in 20 seconds.').waitFor();
  // The page polls for deliveries, and thus notices that the session is gone.
  await context.clearCookies();
  await page.getByText('You are signed out').waitFor();
  await page.getByLabel('API key').waitFor();
  expect(await page.locator('main').innerText()).not.toContain('/limited');
  await context.close();
});
