import axe, { type AxeResults } from 'axe-core';
import type { BrowserContext, Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import { openPage, startDemo } from './browsing.ts';
import { readShift, recordShifts, shiftMax } from './layout-shift.ts';

let url: string;
let context: BrowserContext;
const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(async () => {
  url = world.demo.baseUrl;
  context = await world.browser.newContext({ viewport: { width: 1_280, height: 900 } });
});

/** Opens a page, and measures its layout shifts from the start. */
async function open(path: string) {
  const opened = await openPage(context);
  await recordShifts(opened.page);
  await opened.page.goto(url + path, { waitUntil: 'load' });
  return opened;
}

/** Pixels of a phone, a tablet and a desktop. */
const widths = [360, 768, 1_280];

/** All faults that the scanner finds, of any impact, with nothing left out. */
async function findFaults(page: Page, modes: ('light' | 'dark')[] = ['light', 'dark']): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of modes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations'] })`);
    found.push(...violations.map(({ id, nodes }) => `${colorScheme}: ${id}: ${nodes[0]?.html}`));
  }
  return found;
}

/** A page of each shape. `pages.test.ts` checks the markup of all pages. */
const shapes = {
  'the overview': '/docs',
  'no parameters': '/docs/api/getHealth',
  'parameters and headers': '/docs/api/listAdaptors',
  'a body': '/docs/api/draftListing',
  'a body of several forms and a stream of lines': '/docs/api/runAction',
  'a stream of events': '/docs/api/streamEvents',
  'a path, a credential and no answer': '/docs/api/endPlan',
  'the operator': '/docs/api/listQuarantines',
  'an answer that is text': '/docs/api/getMetrics',
};

test.concurrent.each(Object.entries(shapes))(
  'a page with %s has no fault of accessibility, and no scroll to the side',
  async (_, path) => {
    const { page, wrong } = await open(path);
    // Closed parts are scanned too.
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect([width, await findFaults(page, ['light'])]).toEqual([width, []]);
    }
    expect(await findFaults(page, ['dark'])).toEqual([]);
    expect(wrong).toEqual([]);
    await page.close();
  },
);

test.each(['/docs', '/docs/guides', '/docs/webhooks', '/docs/api/getAdaptor'])(
  'the text of %s stands where it stays while the rest of the page is on its way',
  async (path) => {
    const { page } = await open(path);
    const text = page.locator('.docs > :first-child');
    const whole = await text.boundingBox();
    const navigation = '<div class="beside">';
    await page.route(url + path, async (route) => {
      const response = await route.fetch();
      const body = await response.text();
      expect(body.split(navigation)).toHaveLength(2);
      await route.fulfill({ response, body: body.slice(0, body.indexOf(navigation)) });
    });
    await page.reload({ waitUntil: 'load' });
    expect(await page.locator('.docs > .beside').count()).toBe(0);
    const { x, y, width } = (await text.boundingBox())!;
    expect({ x, y, width }).toEqual({ x: whole!.x, y: whole!.y, width: whole!.width });
    await page.close();
  },
);

test.each(['/docs', '/docs/api/runAction'])('a word of any length fits on %s', async (path) => {
  const { page } = await open(path);
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true;
    const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { currentNode: text } = walker;
      // Programs scroll in their frames, and the names of controls are those of the site.
      const isFree = !text.parentElement.closest('pre, button, select, script, textarea, .tabs > label');
      if (isFree && text.data.trim() !== '') text.data = 'x'.repeat(300);
    }`);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await page.close();
});

test.each(['/docs', '/docs/api/listAdaptors', '/docs/api/runAction'])(
  '%s does not shift while it loads',
  async (path) => {
    for (const width of [360, 1_280]) {
      const { page } = await open(path);
      await page.setViewportSize({ width, height: 900 });
      await page.reload({ waitUntil: 'networkidle' });
      expect(await readShift(page)).toBeLessThanOrEqual(shiftMax);
      await page.close();
    }
  },
);

describe('the page of an operation', () => {
  const press = (page: Page) => page.getByRole('button', { name: 'Send request' }).click();
  const status = (page: Page) => page.locator('#answer-status');

  test('sends the request with the values that the reader sets, and shows its samples and its answer', async () => {
    const { page, wrong, requests } = await open('/docs/api/listAdaptors');
    await page.getByLabel('q', { exact: true }).fill("reef's & <b>");
    const curl = page.locator('[data-sample=curl] code');
    expect(await curl.innerText()).toContain('q=reef%27s%20%26%20%3Cb%3E'.replace('%27', "'\\''"));
    await page.getByLabel('q', { exact: true }).fill('reef');
    expect(await curl.innerText()).toContain(`${url}/api/adaptors?q=reef&limit=1`);
    await press(page);
    await status(page).getByText('200 OK').waitFor();
    expect(requests.at(-1)).toBe(`${url}/api/adaptors?q=reef&limit=1`);
    await eventually(async () =>
      expect(await page.locator('#answer .code').innerText()).toContain('"name": "Reef Vault"'),
    );
    await page.locator('#answer summary').click();
    expect(await page.locator('#answer dl').innerText()).toContain('x-request-id');
    expect(await findFaults(page)).toEqual([]);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('shows in its samples what each field of path, query, header and body has now, in every language', async () => {
    const sample = (page: Page, language: string) =>
      page.locator(`[data-sample=${language}] code`).textContent();
    const samples = async (page: Page) =>
      Object.fromEntries(
        await Promise.all(
          ['curl', 'JavaScript', 'Python'].map(async (language) => [language, await sample(page, language)]),
        ),
      );
    const { page } = await open('/docs/api/getAdaptor');
    await page.locator('[id="path-serviceType"]').fill('0x2::a b::C');
    await page.locator('[id="query-network"]').selectOption('mainnet');
    await page.locator('[id="header-if-none-match"]').fill('"known"');
    expect(await samples(page)).toEqual({
      curl: expect.stringMatching(/\/0x2::a%20b::C\?network=mainnet'[\s\S]*-H 'if-none-match: "known"'/),
      JavaScript: expect.stringMatching(
        /serviceType: '0x2::a b::C'[\s\S]*network: 'mainnet'[\s\S]*'if-none-match': '"known"'/,
      ),
      Python: expect.stringMatching(
        /\/0x2::a%20b::C"[\s\S]*"network": "mainnet"[\s\S]*"if-none-match": "\\"known\\""/,
      ),
    });
    await page.close();
    const { page: run } = await open('/docs/api/runAction');
    const [, second] = await run.locator('#body-example option').allTextContents();
    await run.getByLabel('Example', { exact: true }).selectOption(second!);
    const body = JSON.parse(await run.getByLabel('Body to send').inputValue());
    expect(await sample(run, 'Python')).toContain(`"action": "${body.action}"`);
    await run.getByLabel('Body to send').fill(JSON.stringify({ ...body, note: "it's" }));
    expect(await samples(run)).toEqual({
      curl: expect.stringContaining(`"note":"it'\\''s"`),
      JavaScript: expect.stringContaining('note: "it\'s"'),
      Python: expect.stringContaining('"note": "it\'s"'),
    });
    await run.close();
  });

  test('shows an error of the API, and refuses a body that is not JSON', async () => {
    const { page } = await open('/docs/api/introspectPackage');
    await page.getByLabel('Body to send').fill('{"packageId": "<img src=x onerror=alert(1)>"}');
    await press(page);
    await status(page).getByText('400').waitFor();
    await eventually(async () =>
      expect(await page.locator('#answer .code').innerText()).toContain('"code": "invalid_body"'),
    );
    expect(await page.locator('#answer img').count()).toBe(0);
    let sent = 0;
    page.on('request', () => sent++);
    await page.getByLabel('Body to send').fill('{');
    await press(page);
    const message = await page.evaluate("document.querySelector('#body-text').validationMessage");
    expect([message, sent]).toEqual([expect.stringContaining('not valid JSON'), 0]);
    await page.close();
  });

  test('sends a credential with its request only: not to a storage, not into the samples, and without cookies', async () => {
    const { page } = await open('/docs/api/listWebhooks');
    await context.addCookies([{ name: 'probe', value: '1', url }]);
    await page.getByLabel('API key').fill('mk_secret');
    const asked = page.waitForRequest((request: Request) => request.url().endsWith('/api/adaptors/webhooks'));
    await press(page);
    const headers = await (await asked).allHeaders();
    expect([headers['x-api-key'], headers.cookie]).toEqual(['mk_secret', undefined]);
    await status(page)
      .getByText(/^[45]\d\d/)
      .waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    );
    expect(stored).not.toContain('mk_secret');
    expect(await page.locator('.try').innerText()).not.toContain('mk_secret');
    await page.close();
  });

  test('shows a stream while it comes, until the reader stops it', async () => {
    const { page } = await open('/docs/api/streamEvents');
    await page.locator('[id="query-after"]').fill('0.0.0');
    await press(page);
    await page.locator('#answer .code').getByText('Registered').first().waitFor();
    // The end of the first stream must not hide the button that stops the second one.
    await press(page);
    await page.locator('#answer .code').getByText('Registered').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await status(page).getByText('Stopped').waitFor();
    await page.close();
  });

  test('says what to do when this host does not answer', async () => {
    const { page } = await open('/docs/api/getHealth');
    await page.route('**/healthz', (route) => route.abort());
    await press(page);
    await status(page).getByText('Check that you are online').waitFor();
    await page.close();
  });

  test('changes the language with the arrow keys, and leaves the tabs with the tab key', async () => {
    const { page } = await open('/docs/api/getAdaptor');
    await page.getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('[data-sample=JavaScript]').isVisible()).toBe(true);
    expect(await page.locator('[data-sample=curl]').isVisible()).toBe(false);
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('[data-sample=Python]').isVisible()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("[data-sample]").dataset.sample')).toBe(
      'Python',
    );
    await page.close();
  });

  test('has all of its text and its samples without script, and no field that does nothing', async () => {
    const plain = await world.browser.newContext({ javaScriptEnabled: false });
    const { page } = await openPage(plain);
    await page.goto(`${url}/docs/api/createWebhook`);
    await page.locator('label', { hasText: 'Python' }).click();
    expect(await page.locator('[data-sample=Python]').innerText()).toContain('requests.post(');
    expect(
      await page
        .locator('main :is(input[type=text], input[type=password], textarea)')
        .filter({ visible: true })
        .count(),
    ).toBe(0);
    expect(await page.getByRole('button', { name: 'Send request' }).count()).toBe(0);
    await plain.close();
  });
});
