import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { problem } from '../../../lib/errors/index.ts';
import { digestOf, sendContent } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';
import { chainOf } from '../../../web/frame/page.ts';
import { adaptorPicture, type PictureData, pictureDocument } from '../../../web/pages/picture.ts';
import { slots } from '../graphql/share.ts';
import { parametersOf, requestOf, type SiteDependencies } from './site.ts';

const waitingMax = 20;
const drawMsMax = 10_000;
/** Of 20 to 60 kB each. */
const cachedMax = 200;

const busy = problem('site_busy', 'Too many pictures are being drawn. Try again in a few seconds.');

/** Draws each SVG once, and one at a time. @throws ProblemError `site_busy` where too many wait */
export function openPictures(draw: (svg: string) => Promise<Buffer>) {
  const turns = slots(1);
  const drawn = new LRUCache<string, Promise<Buffer>>({ max: cachedMax });
  const never = new AbortController().signal;

  return (svg: string): Promise<Buffer> => {
    const key = digestOf(svg);
    const known = drawn.get(key);
    if (known) return known;
    if (turns.load().waiting >= waitingMax) throw busy;
    const picture = turns.run(() => draw(svg), never);
    drawn.set(key, picture);
    picture.catch(() => drawn.delete(key));
    return picture;
  };
}

/** An SVG as PNG, drawn in a thread of its own that ends with it: a drawing can neither block the process nor end it. */
export async function drawApart(svg: string): Promise<Buffer> {
  const worker = new Worker(new URL('./draw-picture.ts', import.meta.url), { workerData: svg });
  // One that comes after its time is over has no other listener, and would end the process.
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

const drawPicture = openPictures(drawApart);
const path = '/og/:network/:serviceType';

/** The picture of an adaptor for links to it. It counts for the rate limit: no page of the site loads it. */
export const pictureRoute: Route<SiteDependencies> = {
  ...{ method: 'get', path, mediaType: 'image/png', parameters: parametersOf(path) },
  async answer(exchange, parameters, { site }) {
    const { network } = requestOf(exchange, parameters, site);
    const variables = { chain: chainOf(network), serviceType: parameters.serviceType };
    const { adaptor } = (await site.data.read(pictureDocument, variables)) as PictureData;
    if (!adaptor) throw problem('not_found', 'The catalog has no such adaptor.');
    const body = await drawPicture(adaptorPicture(adaptor));
    const cacheControl = 'public, max-age=300';
    await sendContent(exchange, { body, contentType: 'image/png', cacheControl, tag: digestOf(body) });
  },
};
