import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChromium } from '../support/chromium.ts';
import { demoPages } from './demo-pages.ts';

/**
 * Takes screenshots of every page of a running site: `npx node test/site/screenshots.ts http://127.0.0.1:8080
 * [folder]`. Each page is taken at 1,280 and 390 pixels, light and dark.
 */
const [url = 'http://127.0.0.1:8080', folder = '.data/screenshots', only = ''] = process.argv.slice(2);

await mkdir(folder, { recursive: true });
const browser = await startChromium();
/** Screenshots that the README shows. They have the size of the window rather than of the whole page. */
const inReadme = new Set(
  ['catalog-1280-light', 'adaptor-1280-light', 'adaptor-unverified-1280-dark'].concat([
    'wallet-owner-1280-light',
    'catalog-390-light',
    'adaptor-390-dark',
  ]),
);
const pages = Object.entries(await demoPages(url)).filter(([name]) => name.includes(only));
for (const width of [1_280, 390]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    for (const [name, path] of pages) {
      const page = await context.newPage();
      await page.goto(url + path, { waitUntil: 'load' });
      // The parts that scripts make are complete once none of these is left.
      await page
        .locator('main .box p', { hasText: /^Loading/ })
        .first()
        .waitFor({ state: 'detached' });
      const picture = await page.screenshot({ fullPage: true });
      const file = `${name}-${width}-${colorScheme}`;
      await writeFile(join(folder, `${file}.png`), picture);
      if (inReadme.has(file)) {
        const clip = { x: 0, y: 0, width, height: 760 };
        await page.screenshot({ path: join(folder, 'readme', `${file}.jpg`), quality: 60, clip });
      }
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
console.log(`${4 * pages.length} pictures in ${folder}`);
