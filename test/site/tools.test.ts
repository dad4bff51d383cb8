import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page, Request } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exampleQueries } from '../../services/gateway/graphql/examples.ts';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import { type Demo, expectAccessible, openPage, startDemo } from './browsing.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let demo: Demo['demo'];
const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(() => {
  ({ demo } = world);
});

/** Opens a page. Violations of its content security policy are errors in the console. */
async function open(path: string, width = 1_280) {
  const opened = await openPage(await world.browser.newContext({ viewport: { width, height: 900 } }));
  await opened.page.goto(demo.baseUrl + path, { waitUntil: 'load' });
  return opened;
}

/** An element of each page that shows only when the page is complete. */
const shown: Record<string, string> = {
  '/': 'main .card',
  '/docs': '.operations',
  '/docs/api/runAction': '.t-s',
  '/graphql': '.graphiql-query-editor .view-line >> text=adaptors',
  '/graphql/schema': '#Adaptor',
  '/errors': 'main',
};

describe.each(Object.entries(shown))('%s', (path, part) => {
  test.each([1_280, 390])(
    'has nothing that the browser refuses or cannot fit into %i pixels',
    async (width) => {
      const { page, wrong } = await open(path, width);
      await page.locator(part).first().waitFor();
      const size = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]');
      expect(size).toEqual([width, width]);
      expect(wrong).toEqual([]);
    },
  );
});

type Tab = keyof typeof exampleQueries;

describe('the explorer', () => {
  let page: Page;
  let wrong: string[];
  beforeAll(async () => {
    ({ page, wrong } = await open('/graphql'));
    // An editor that is not loaded yet would miss the choice of another tab.
    await shows('.graphiql-query-editor', exampleQueries.catalog.split('\n')[0]!);
  });
  afterEach(() => expect(wrong).toEqual([]));

  /** Waits until an editor shows a text. The editor may break it into lines and indent it. */
  const shows = (editor: string, text: string) =>
    eventually(async () => {
      const lines = await page.locator(`${editor} .view-lines`).innerText();
      expect(lines.replaceAll(/\s/g, '')).toContain(text.replaceAll(/\s/g, ''));
    });

  async function openTab(name: Tab): Promise<void> {
    const tab = page.locator('.graphiql-tab-button').nth(Object.keys(exampleQueries).indexOf(name));
    // Tabs can be dragged, and a very fast click may count as a drag. A key press cannot.
    await tab.press('Enter');
    await shows('.graphiql-query-editor', exampleQueries[name].split('\n')[0]!);
  }

  const pressButton = () => page.locator('.graphiql-execute-button').click();

  /**
   * Presses the button until it runs the operation of the shown tab. The explorer parses a new text and ends the
   * previous query a moment after it shows them. Until then, the button runs or stops the previous operation.
   */
  async function runTab(name: Tab): Promise<Request> {
    const [operation] = /\b(query|subscription) \w+/.exec(exampleQueries[name])!;
    const isSent = (request: Request) =>
      decodeURIComponent((request.postData() ?? request.url()).replaceAll('+', ' ')).includes(operation);
    return await eventually(async () => {
      const sent = page.waitForRequest(isSent, { timeout: 1_000 });
      // On a slow machine the timeout can expire before the button is pressed.
      sent.catch(() => undefined);
      await pressButton();
      return await sent;
    });
  }

  const queries = Object.keys(exampleQueries).filter((name) => name !== 'live') as Tab[];

  test.each(queries)('runs its tab %s and shows data', async (name) => {
    await openTab(name);
    const answered = await (await runTab(name)).response();
    const { data, errors } = await answered!.json();
    expect(errors).toBeUndefined();
    await shows('.graphiql-response', `"${Object.keys(data)[0]}": `);
  });

  test('is accessible in both modes with a query and its response, and when a tab is added, chosen and closed', async () => {
    const current = page.locator('.graphiql-tab-button[aria-current=true]');
    await expectAccessible(page, 'all');
    await page.locator('.graphiql-tab-add').press('Enter');
    await current.getByText('<untitled>').waitFor();
    await expectAccessible(page, 'all');
    await page.locator('.graphiql-tab-active .graphiql-tab-close').press('Enter');
    await openTab('catalog');
    expect(await current.count()).toBe(1);
    expect(await current.innerText()).toBe('Catalog');
    await expectAccessible(page, 'all');
  });

  test('follows the events of the registry while a listing is registered, until one stops it', async () => {
    const readers = async () => {
      const metrics = await (await fetch(`${demo.baseUrl}/metrics`)).text();
      return Number(/^event_stream_readers (\d+)$/m.exec(metrics)![1]);
    };
    // Pages of the site follow events too, and count as readers.
    const others = await readers();
    const streams = (count: number) => eventually(async () => expect(await readers()).toBe(others + count));
    await openTab('live');
    await runTab('live');
    await streams(1);
    const example = join(root, 'docs/examples/list-an-adaptor.ts');
    const env = { ...process.env, DATA_DIR: world.dataDir };
    const { stdout } = await run(process.execPath, [example], { env });
    const [, publisher] = /^publisher +(0x[0-9a-f]+)$/m.exec(stdout)!;
    await shows('.graphiql-response', '"name": "Registered"');
    await shows('.graphiql-response', publisher!);
    await pressButton();
    await streams(0);
  });

  test('changes its colors with the switch of the frame, and keeps what is open', async () => {
    const editor = page.locator('.graphiql-query-editor .monaco-editor').first();
    const isDark = async () => [
      await page.evaluate("document.body.classList.contains('graphiql-dark')"),
      / vs-dark/.test((await editor.getAttribute('class')) ?? ''),
    ];
    expect(await isDark()).toEqual([false, false]);
    const text = await page.locator('.graphiql-query-editor .view-lines').innerText();
    for (const dark of [true, false]) {
      await page.getByRole('button', { name: 'Switch between light and dark' }).click();
      await eventually(async () => expect(await isDark()).toEqual([dark, dark]));
    }
    expect(await page.locator('.graphiql-query-editor .view-lines').innerText()).toBe(text);
  });

  test('offers the fields of the schema while one types', async () => {
    const { page, wrong } = await open('/graphql?query={%20}');
    await page.locator('.graphiql-query-editor .view-line').first().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    const offered = page.locator('.suggest-widget .monaco-list-row');
    // The editor has no suggestions before the schema arrives. The intervals get longer, because a slow machine needs
    // time.
    let timeout = 1_000;
    await eventually(async () => {
      timeout *= 2;
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      await offered.getByText('adaptor', { exact: true }).waitFor({ timeout });
    });
    await page.keyboard.type('publi');
    await offered.getByText('publishers', { exact: true }).waitFor();
    expect(wrong).toEqual([]);
  });
});

test('what the README asks the graph is answered as it shows', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, command, answer] = /```sh\n(curl [^\n]*\/graphql [\s\S]*?)```\n\n```json\n([\s\S]*?)```/.exec(
    readme,
  )!;
  const own = command!.replace('http://127.0.0.1:8080', demo.baseUrl);
  const expected = JSON.parse(answer!).data.adaptors;
  // The last transactions of the demo may only now be indexed.
  await eventually(async () => {
    const { stdout } = await run('bash', ['-c', own]);
    const { data, errors } = JSON.parse(stdout);
    expect(errors).toBeUndefined();
    // Another listing has the same rating as the second, and one more may be registered by now.
    const [first, second] = data.adaptors.edges;
    expect(first).toEqual(expected.edges[0]);
    expect(second.node.reviews).toEqual(expected.edges[1].node.reviews);
    expect(data.adaptors.totalCount).toBeGreaterThanOrEqual(expected.totalCount);
  });
});
