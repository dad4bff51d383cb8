import { createServer } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { buildRequest } from '../support/build-request.ts';
import { closePages, shareChromium } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret, asAdmin } from '../support/keys.ts';
import { listenLocally } from '../support/listen-locally.ts';

let gateway: TestGateway;
let browser: Browser;
/** Origin of the site as a person opens it. */
let site: string;
/** Cookies that a program on another port of the same host received. For SameSite, it is the same site. */
const neighborCookies: (string | undefined)[] = [];
const neighbor = createServer((req, res) => {
  neighborCookies.push(req.headers.cookie);
  res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>neighbor</title>');
});
let neighborUrl: string;
beforeAll(async () => {
  neighborUrl = `http://localhost:${(await listenLocally(neighbor)).port}`;
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 1_000, trustProxy: 0 };
  [gateway, browser] = await Promise.all([
    startTestGateway((seed) => seed.source(), { access }),
    shareChromium(),
  ]);
  site = `http://localhost:${new URL(gateway.url).port}`;
});
afterAll(async () => {
  await closePages(browser);
  await gateway?.close();
  neighbor.close();
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  credentials?: 'include';
  mode?: 'no-cors';
}

/**
 * Sends a request from a script of the page. Returns the status, or 0 if the browser does not let the script read the
 * answer.
 */
const send = (page: Page, url: string, init: Sent): Promise<number> =>
  page.evaluate(
    ([to, how]) =>
      fetch(to, how).then(
        ({ status }) => status,
        () => 0,
      ),
    [url, init] as const,
  );

async function signedIn() {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${site}/publish`);
  const signIn = buildRequest('{}', asAdmin);
  expect(await send(page, `${site}/api/portal/session`, signIn)).toBe(200);
  return { context, page };
}

const issue = buildRequest({ integrator: 'x', ratePerMin: 9 });
const keysUrl = () => `${site}/api/adaptors/keys`;

async function keyCount(): Promise<number> {
  return (await (await fetch(`${gateway.url}/api/adaptors/keys`, { headers: asAdmin })).json()).count;
}

test('Chromium keeps the session on http://localhost, out of reach of scripts, and sign-out ends it', async () => {
  const { context, page } = await signedIn();
  const kept = (await context.cookies(site)).find(({ name }) => name === '__Host-portal');
  expect(kept).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
  const reach =
    'document.cookie + JSON.stringify({...localStorage, ...sessionStorage}) + document.body.outerHTML';
  const seen = String(await page.evaluate(reach));
  expect([seen.includes('ps_'), seen.includes(adminSecret)]).toEqual([false, false]);
  expect(await send(page, keysUrl(), {})).toBe(200);
  expect(await send(page, keysUrl(), issue)).toBe(200);
  const signOut = buildRequest(undefined, { 'content-type': 'application/json' }, 'DELETE');
  expect(await send(page, `${site}/api/portal/session`, signOut)).toBe(204);
  expect(await send(page, keysUrl(), {})).toBe(401);
  expect(await context.cookies(site)).toEqual([]);
  await context.close();
});

test('a page on another port of the host reads and changes nothing', async () => {
  const { context, page: own } = await signedIn();
  const before = await keyCount();
  const page = await context.newPage();
  await page.goto(neighborUrl);
  const credentials = 'include' as const;
  // Cookies ignore ports, so the browser does send the cookie. The refusals below thus have another reason than a
  // missing cookie.
  expect(neighborCookies.at(-1)).toContain('__Host-portal=ps_');
  const [answer] = await Promise.all([
    page.waitForResponse(keysUrl()),
    send(page, keysUrl(), { credentials, mode: 'no-cors' }),
  ]);
  expect(answer.status()).toBe(401);
  expect(await send(page, keysUrl(), { credentials })).toBe(0);
  expect(await send(page, keysUrl(), { ...issue, credentials })).toBe(0);
  const simple = { method: 'POST', body: issue.body, credentials, mode: 'no-cors' as const };
  await send(page, keysUrl(), simple);
  expect(await keyCount()).toBe(before);
  // The session is still valid.
  expect(await send(own, keysUrl(), {})).toBe(200);
  await context.close();
});

test('a form of another port opens no session, and changes nothing', async () => {
  const { context } = await signedIn();
  const before = await keyCount();
  const page = await context.newPage();
  await page.goto(neighborUrl);
  const form = `<form method="post" enctype="text/plain" action="${keysUrl()}"><input name='{"integrator":"x","ratePerMin":9,"label":"' value='"}'><button>Go</button></form>`;
  await page.setContent(form);
  const [answer] = await Promise.all([
    page.waitForResponse(keysUrl()),
    page.getByRole('button', { name: 'Go' }).click(),
  ]);
  expect(answer.status()).toBe(401);
  expect(await keyCount()).toBe(before);
  await context.close();
});
