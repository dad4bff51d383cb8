import { join } from 'node:path';
import { Command } from 'commander';
import { startChromium } from '../support/chromium.ts';
import { createDataDir, ready, startService, stopService } from '../support/service.ts';
import { demoPages, unboundedPages } from './demo-pages.ts';
import { visitPage, widths } from './visit-page.ts';

/**
 * `npm run screenshots -- --to <folder>`: makes pictures of every page of the site, in three widths and both modes, and
 * ends with 1 if a page has a fault.
 */
const options = new Command('screenshots')
  .requiredOption('--to <folder>', 'folder of the pictures')
  .option('--url <url>', 'a running marketplace with the demo; default: one of its own')
  .option('--only <text>', 'only pages whose name contains it', '')
  .parse()
  .opts<{ to: string; url?: string; only: string }>();

/** Pictures that the README shows, of the top of the page. */
const inReadme = new Set([
  'catalog-1440-light',
  'adaptor-1440-light',
  'adaptor-unverified-1440-dark',
  'wallet-owner-1440-light',
  'catalog-390-light',
  'adaptor-390-dark',
]);

await using closing = new AsyncDisposableStack();

async function startMarketplace(): Promise<string> {
  console.log('Starting a marketplace with the demo.');
  const data = await createDataDir();
  closing.defer(() => data.remove());
  const service = startService(data.dir, []);
  closing.defer(async () => void (await stopService(service)));
  return (await ready(service, data.dir)).baseUrl;
}

const url = options.url?.replace(/\/$/, '') ?? (await startMarketplace());
const pages = Object.entries(await demoPages(url)).filter(([name]) => name.includes(options.only));
if (pages.length === 0) throw new Error(`No page has “${options.only}” in its name. Use another --only.`);
const browser = await startChromium();
closing.defer(() => browser.close());

let faulty = 0;
for (const [index, [name, path]] of pages.entries()) {
  const found: string[] = [];
  for (const width of widths) {
    const faults = await visitPage(browser, url + path, {
      width,
      bounded: !unboundedPages.has(name),
      async draw(page, mode) {
        const file = `${name}-${width}-${mode}`;
        await page.screenshot({
          path: join(options.to, `${file}.png`),
          fullPage: true,
          animations: 'disabled',
        });
        if (!inReadme.has(file)) return;
        const shown = Math.min(width, 1_280);
        const clip = { x: (width - shown) / 2, y: 0, width: shown, height: 760 };
        await page.screenshot({ path: join(options.to, 'readme', `${file}.jpg`), quality: 60, clip });
      },
    });
    found.push(...faults.map((fault) => `  at ${width} px: ${fault}`));
  }
  if (found.length > 0) faulty++;
  console.log([`${index + 1} of ${pages.length}: ${name} ${path}`, ...found].join('\n'));
}
console.log(`${2 * widths.length * pages.length} pictures in ${options.to}; ${faulty} pages have faults`);
if (faulty > 0) process.exitCode = 1;
