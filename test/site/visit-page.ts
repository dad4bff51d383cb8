import type { Browser, Page } from 'playwright-core';
import { readShift, recordShifts, shiftMax } from './layout-shift.ts';

/** Widths of a phone, a tablet and a desktop, in pixels. */
export const widths = [390, 820, 1_440];
const modes = ['light', 'dark'] as const;
type Mode = (typeof modes)[number];

/** Largest HTML of a page that people read, in bytes. */
const htmlBytesMax = 60_000;

interface VisitOptions {
  width: number;
  /** limits the size of the HTML */
  bounded: boolean;
  /** draws the loaded page, once in each mode */
  draw(page: Page, mode: Mode): Promise<void>;
}

/** Opens a page in one width, and returns its faults: bad status, errors, sideways scrolling, moving content, size. */
export async function visitPage(
  browser: Browser,
  url: string,
  { width, bounded, draw }: VisitOptions,
): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  try {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`error in the console: ${message.text()}`);
    });
    page.on('pageerror', ({ message }) => faults.push(`uncaught error: ${message}`));
    await recordShifts(page);
    const response = await page.goto(url, { waitUntil: 'load' });
    await waitForIslands(page);
    if (!response!.ok()) faults.push(`status ${response!.status()}`);
    const bytes = (await response!.body()).length;
    if (bounded && bytes > htmlBytesMax) faults.push(`${bytes} bytes of HTML; the limit is ${htmlBytesMax}`);
    const shift = await readShift(page);
    const scrollWidth = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (scrollWidth > width) faults.push(`scrolls sideways: ${scrollWidth} px in a window of ${width} px`);
    if (shift > shiftMax)
      faults.push(`content moves by ${shift.toFixed(3)} while it loads; the limit is ${shiftMax}`);
    for (const mode of modes) {
      await page.emulateMedia({ colorScheme: mode });
      await draw(page, mode);
    }
    return faults;
  } finally {
    await context.close();
  }
}

/** Waits until the parts that scripts make are complete. */
const waitForIslands = (page: Page): Promise<void> =>
  page
    .locator('main .box p', { hasText: /^Loading/ })
    .first()
    .waitFor({ state: 'detached' });
