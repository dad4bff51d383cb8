import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/cli/run-command.ts';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';
import { expectFit, openPage, startDemo } from './browsing.ts';
import { demoPages } from './demo-pages.ts';

let path: string;
const world = useForFile(() => startDemo(['localnet', 'indexer', 'gateway']));
beforeAll(async () => {
  path = (await demoPages(world.demo.baseUrl)).adaptor!;
  await eventually(async () => {
    const answer = await fetch(`${world.demo.baseUrl}/api/adaptors/${path.split('/').at(-1)}/certificate`);
    expect(await answer.json()).toMatchObject({ state: 'computed' });
  });
});

async function openAdaptor(javaScriptEnabled = true): Promise<Page> {
  const context = await world.browser.newContext({ javaScriptEnabled });
  const { page, wrong } = await openPage(context);
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(world.demo.baseUrl + path, { waitUntil: 'load' });
  return page;
}

test('the section is accessible and fits into 360 pixels, with all of its calls shown', async () => {
  const page = await openAdaptor();
  await page.setViewportSize({ width: 360, height: 900 });
  const section = page.getByRole('region', { name: 'What the code can do' });
  await section.evaluate('(part) => part.querySelectorAll("details").forEach((one) => { one.open = true; })');
  expect(await section.locator('details').count()).toBeGreaterThan(2);
  await expectFit(page);
});

test('the keyboard opens and closes the calls that show a sentence', async () => {
  const page = await openAdaptor();
  const details = page.locator('#certificate details', { hasText: 'Show me' }).first();
  const steps = details.locator('li').first();
  await expect.poll(() => steps.isVisible()).toBe(false);
  await details.locator('summary').focus();
  await page.keyboard.press('Enter');
  await steps.waitFor({ state: 'visible' });
  expect(await steps.innerText()).toMatch(/\w+::\w+, instruction \d+/);
  await page.keyboard.press('Enter');
  await steps.waitFor({ state: 'hidden' });
});

test('without script the section has the same sentences, after those of the publisher', async () => {
  const read = async (page: Page) => await page.locator('#certificate').innerText();
  const plain = await openAdaptor(false);
  expect(await read(plain)).toBe(await read(await openAdaptor()));
  const text = await plain.locator('main').innerText();
  expect(text).toContain('Takes ');
  expect(text.indexOf("These are the publisher's words.")).toBeGreaterThan(-1);
  expect(text.indexOf("These are the publisher's words.")).toBeLessThan(text.indexOf('What the code can do'));
});

describe('the browser computes the certificates again', () => {
  const compute = async (page: Page) => {
    await page.getByRole('link', { name: 'Check it in your browser' }).click();
    await page.getByRole('button', { name: 'Compute the certificates' }).click();
  };

  test('and finds the hashes of this marketplace', async () => {
    const page = await openAdaptor();
    await compute(page);
    await page.locator('#checked .notice.good').waitFor();
    const text = await page.locator('#checked').innerText();
    expect(text).toMatch(/All (\d+) certificates are the same/);
    expect(await page.locator('#checked tbody tr').count()).toBe(Number(/All (\d+)/.exec(text)![1]));
    await expectFit(page);
    await page.setViewportSize({ width: 360, height: 900 });
    await expectFit(page);
  });

  test('and the command beside it, copied to a terminal, finds them too', async () => {
    const page = await openAdaptor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('link', { name: 'Check it in your browser' }).click();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const words = copied.replace(/\\\n/g, '').replaceAll("'", '').split(/\s+/);
    expect(words.slice(0, 2)).toEqual(['npx', 'adaptor-marketplace']);
    const { code, out, err } = await runCommand(words.slice(2), {});
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('same');
  });

  test('and warns if the marketplace has other ones', async () => {
    const page = await openAdaptor();
    await page.route('**/certificate?*', async (route) => {
      const answer = await (await route.fetch()).json();
      answer.functions[0].hash = 'f'.repeat(64);
      await route.fulfill({ json: answer });
    });
    await compute(page);
    await page.locator('#checked .notice.danger', { hasText: 'certificates differ' }).waitFor();
    expect(await page.locator('#checked tbody tr').first().innerText()).toContain('Differs');
  });

  test('and says of a node that does not answer, or is of another network, what to do, and not that hashes differ', async () => {
    const page = await openAdaptor();
    await page.getByRole('link', { name: 'Check it in your browser' }).click();
    const computeFrom = async (node: string) => {
      await page.getByLabel('Node').fill(node);
      await page.getByRole('button', { name: 'Compute the certificates' }).click();
    };
    await computeFrom('http://127.0.0.1:1');
    const failure = page.locator('#checked .notice.danger');
    await failure.waitFor();
    expect(await failure.innerText()).toContain('Check the address of the node, or take another one.');
    // Each request is answered with 404, as that of a node without the package.
    await computeFrom(`${world.demo.baseUrl}/none`);
    await page
      .locator('#checked .notice.caution', { hasText: 'Check that it is a node of testnet' })
      .waitFor();
  });
});
