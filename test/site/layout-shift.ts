import type { Page } from 'playwright-core';

/** Largest sum of layout shifts while a page loads. */
export const shiftMax = 0.05;

/** Records the layout shifts of the pages that are opened from now on. Those that follow an input at once do not count. */
export async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(`globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
    }).observe({ type: 'layout-shift', buffered: true });`);
}

/** Returns the sum of the layout shifts of the page, after those of the last frame were recorded. */
export const readShift = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(globalThis.shift))))',
  );
