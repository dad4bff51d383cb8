import { Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import { expectFit, openPage, startDemo } from './browsing.ts';

const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));

interface Held {
  verdict: string;
  sourceHash: string;
  compiler: string;
  files: { path: string }[];
  folder: string;
}

async function ask<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(world.demo.baseUrl + path);
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

const sourcePath = (serviceType: string) => `/api/adaptors/${encodeURIComponent(serviceType)}/source`;

/** Lists the listings whose packages have source with a verdict, one for each source, once all have one. */
async function listVerified(): Promise<{ serviceType: string; held: Held }[]> {
  const { adaptors } = await ask<{ adaptors: { serviceType: string }[] }>('/api/adaptors?limit=100');
  const found = new Map<string, { serviceType: string; held: Held }>();
  await eventually(async () => {
    found.clear();
    for (const { serviceType } of adaptors) {
      const held = await ask<Held>(`${sourcePath(serviceType)}?include=files`);
      expect(held.verdict).not.toBe('pending');
      if (held.sourceHash !== null) found.set(held.sourceHash, { serviceType, held });
    }
    expect(found.size).toBeGreaterThan(2);
  });
  return [...found.values()];
}

async function openCheck(serviceType: string): Promise<Page> {
  const context = await world.browser.newContext();
  const { page, wrong } = await openPage(context);
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(`${world.demo.baseUrl}/a/testnet/${serviceType}/source/check`);
  return page;
}

async function zip(files: readonly { path: string; text: string }[]): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const { path, text } of files) await writer.add(path, new Blob([text]).stream());
  return Buffer.from(await writer.close());
}

/** Builds, and returns the words of the row of this browser. */
async function build(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Build and compare' }).click();
  await page.locator('#compared table, #compared .notice.danger').first().waitFor();
  return page.locator('#compared').innerText();
}

/** Each opens a browser without the compilers in its cache, and takes about ten seconds. */
const comparedMax = 3;

test('the browser has the verdict, the compiler and the hash of the service for source of the demo', async () => {
  const verified = await listVerified();
  for (const { serviceType, held } of verified.slice(0, comparedMax)) {
    const page = await openCheck(serviceType);
    const text = await build(page);
    expect(text).toContain('The same as this marketplace');
    const rows = await page.locator('#compared tbody tr').allInnerTexts();
    const [here, theirs] = rows.map((row) => row.replace(/^\S+ \S+ \S+\s+/, ''));
    expect(here).toBe(theirs);
    expect(here).toContain(held.sourceHash);
    expect(here).toContain(held.compiler);
    await expectFit(page);
    await page.context().close();
  }
});

test('changed source differs, and is said to be other source than that of the marketplace', async () => {
  const { serviceType, held } = (await listVerified()).find(({ held }) => held.verdict === 'exact')!;
  const page = await openCheck(serviceType);
  const files = await Promise.all(
    held.files.map(async ({ path }) => {
      const { text } = await ask<{ text: string }>(
        `${sourcePath(serviceType)}?file=${encodeURIComponent(path)}`,
      );
      return { path, text };
    }),
  );
  const changed = files.find(
    ({ path, text }) =>
      path.startsWith(held.folder === '' ? 'sources/' : `${held.folder}/sources/`) &&
      text.includes('public fun '),
  )!;
  changed.text = changed.text.replace('public fun ', 'public fun added(): u64 { 1 } public fun ');
  const archive = await zip(files);
  await page.locator('#zip').setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: archive });
  await page.locator('#folder').fill(held.folder || '.');
  const text = await build(page);
  expect(text).toContain('Other source than that of this marketplace');
  expect(await page.locator('#compared tbody tr').first().innerText()).toContain('Differs');
  const sent = await fetch(`${world.demo.baseUrl}/a/testnet/${serviceType}/source/check`);
  expect(sent.headers.get('content-security-policy')).not.toContain('wasm-unsafe-eval');
});
