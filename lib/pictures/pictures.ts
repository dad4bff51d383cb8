import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { problem } from '../errors/index.ts';
import { computeDigest } from '../http/exchange.ts';

const waitingMax = 20;
const drawMsMax = 10_000;
/** Maximum cached pictures, of 20 to 60 kB each. */
const cachedMax = 200;

const busy = problem('site_busy', 'Too many pictures are being drawn. Try again in a few seconds.');

/** Draws SVGs one at a time, and caches the pictures. @throws ProblemError `site_busy` if too many wait */
export function openPictures(draw: (svg: string) => Promise<Buffer> = drawApart) {
  const drawn = new LRUCache<string, Promise<Buffer>>({ max: cachedMax });
  let last: Promise<unknown> = Promise.resolve();
  /** Pictures that wait or are being drawn. */
  let open = 0;

  return (svg: string): Promise<Buffer> => {
    const key = computeDigest(svg);
    const known = drawn.get(key);
    if (known) return known;
    if (open > waitingMax) throw busy;
    open++;
    const picture = last.then(() => draw(svg)).finally(() => open--);
    last = picture.catch(() => drawn.delete(key));
    drawn.set(key, picture);
    return picture;
  };
}

/** Draws an SVG as PNG in its own thread, so that a drawing can neither block the process nor end it. */
export async function drawApart(svg: string): Promise<Buffer> {
  const worker = new Worker(new URL('./draw-apart.ts', import.meta.url), { workerData: svg });
  // An error after the timeout has no other listener, and would end the process.
  worker.on('error', () => undefined);
  try {
    const [png] = (await once(worker, 'message', { signal: AbortSignal.timeout(drawMsMax) })) as [Uint8Array];
    return Buffer.from(png);
  } catch (error) {
    throw error instanceof Error && error.name === 'AbortError' ? busy : error;
  } finally {
    await worker.terminate();
  }
}
