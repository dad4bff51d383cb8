import { cached, computeDigest } from '../../../lib/http/exchange.ts';
import type { Route } from '../../../lib/http/route.ts';

/** A route of a file. @param alternative media type that callers may accept in place of the file's own */
export function fileRoute<Dependencies = unknown>(
  path: string,
  contentType: string,
  maxAgeSeconds: number,
  load: (dependencies: Dependencies) => Buffer | Promise<Buffer>,
  alternative?: string,
): Route<Dependencies> {
  const send = cached(async (dependencies: Dependencies) => {
    const body = await load(dependencies);
    return { body, contentType, cacheControl: `public, max-age=${maxAgeSeconds}`, tag: computeDigest(body) };
  });
  const [mediaType = contentType] = contentType.split(';');
  const types = { mediaType, ...(alternative && { alternative }) };
  return {
    method: 'get',
    path,
    ...types,
    unlimited: true,
    answer: (exchange, _parameters, dependencies) => send(exchange, dependencies),
  };
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escaped = (plain: string): string => plain.replace(/[&<>"]/g, (char) => entities[char]!);

/** A text as HTML, with `code` marked. */
export const text = (plain: string): string => escaped(plain).replace(/`([^`]+)`/g, '<code>$1</code>');

/** Two plugs that meet: an adaptor. */
const blocks = [
  { x: 3, y: 10, width: 12, height: 12, color: '#0a6a66' },
  { x: 17, y: 10, width: 12, height: 12, color: '#0a6a66' },
  { x: 13, y: 14, width: 6, height: 4, color: '#0a6a66' },
] as const;
const size = 32;

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${blocks
  .map(({ color, ...box }) => {
    const at = Object.entries(box).map(([name, value]) => `${name}="${value}"`);
    return `<rect ${at.join(' ')} fill="${color}"/>`;
  })
  .join('')}</svg>\n`;

/** The same as a Windows icon with one bitmap of 32 bits a pixel, its rows from the bottom. */
function ico(): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  for (const { x, y, width, height, color } of blocks) {
    const bgra = Buffer.concat([Buffer.from(color.slice(1), 'hex').reverse(), Buffer.from([255])]);
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++)
        bgra.copy(pixels, ((size - 1 - row) * size + column) * 4);
    }
  }
  const mask = Buffer.alloc((size * size) / 8);
  const bitmap = Buffer.alloc(40);
  bitmap.writeUInt32LE(40, 0);
  bitmap.writeInt32LE(size, 4);
  // Of the picture and its mask.
  bitmap.writeInt32LE(size * 2, 8);
  bitmap.writeUInt16LE(1, 12);
  bitmap.writeUInt16LE(32, 14);
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(bitmap.length + pixels.length + mask.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, bitmap, pixels, mask]);
}

const dayS = 86_400;

/** The icon; browsers ask for the second by themselves. */
export const iconRoutes = [
  fileRoute('/favicon.svg', 'image/svg+xml', dayS, () => Buffer.from(svg)),
  fileRoute('/favicon.ico', 'image/x-icon', dayS, ico),
];
