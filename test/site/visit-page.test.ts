import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { closePages, shareChromium } from '../support/chromium.ts';
import { visitPage } from './visit-page.ts';

const bodies: Record<string, string> = {
  '/good': '<h1>Good</h1>',
  '/bad': `<main><div class="box" id="late"><p>Loading</p></div></main><h1 style="width: 600px; height: 400px">Bad</h1><!-- ${'x'.repeat(60_000)} -->
    <script>
      console.error('it broke');
      // The browser counts no shift before the first paint.
      new PerformanceObserver(() => { late.style.height = '300px'; late.textContent = ''; })
        .observe({ type: 'paint', buffered: true });
      setTimeout(() => { throw new Error('it threw'); });
    </script>`,
};

test('a visit draws both modes, and finds a bad status, errors, sideways scrolling, moving content and size', async () => {
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/good' ? 200 : 404;
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">${bodies[url!]}`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await shareChromium();
  const pictures: Buffer[] = [];
  const visit = (path: string, bounded = true) =>
    visitPage(browser, origin + path, {
      width: 390,
      bounded,
      async draw(page) {
        pictures.push(await page.screenshot());
      },
    });
  try {
    expect(await visit('/good')).toEqual([]);
    expect(pictures).toHaveLength(2);
    expect(pictures[0]!.equals(pictures[1]!)).toBe(false);
    const faults = await visit('/bad');
    for (const fault of [
      /status 404/,
      /error in the console: it broke/,
      /uncaught error: it threw/,
      /scrolls sideways: 6\d\d px in a window of 390 px/,
      /content moves by 0\.\d+ while it loads/,
      /60\d{3} bytes of HTML/,
    ])
      expect(faults).toContainEqual(expect.stringMatching(fault));
    expect((await visit('/bad', false)).join()).not.toContain('bytes of HTML');
  } finally {
    await closePages(browser);
    server.close();
  }
});
