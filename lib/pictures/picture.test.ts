import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pixel } from '../../test/support/pixel.ts';
import { decodeDataUrl, pictureBytesMax, toPicture } from './picture.ts';

/** A PNG whose header names another size. */
function resized(width: number, height: number): Buffer {
  const png = Buffer.from(pixel);
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA=', 'base64');
const jpeg = Buffer.from('/9j/4AAQSkZJRgABAQEASABIAAD/wAALCAABAAEBAREA/9k=', 'base64');

test.each([
  ['image/png', pixel],
  ['image/webp', webp],
  ['image/jpeg', jpeg],
])('%s is a picture, by its bytes', (mediaType, bytes) => {
  expect(toPicture(bytes)).toEqual({ bytes, mediaType });
  expect(decodeDataUrl(`data:text/html;base64,${bytes.toString('base64')}`)).toEqual({ bytes, mediaType });
});

test.each([
  [0, 1],
  [2_049, 1],
  [1, 2_049],
  [2 ** 31, 2 ** 31],
])('a picture of %i by %i pixels is refused', (width, height) => {
  expect(toPicture(resized(width, height))).toContain('pixels wide and high');
});

test('a picture is measured as the form that its first bytes name', () => {
  const page = Buffer.from('RIFF____WEBP<svg width="16" height="16"><script>alert(1)</script></svg>');
  expect(toPicture(page)).toBe('The file is not a whole picture of its form.');
});

test('a picture has at most 64 KiB', () => {
  const padding = Buffer.alloc(pictureBytesMax - pixel.length);
  expect(toPicture(Buffer.concat([pixel, padding]))).toMatchObject({ mediaType: 'image/png' });
  expect(toPicture(Buffer.concat([pixel, padding, Buffer.alloc(1)]))).toContain('larger than');
});

test.each([
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
  '<?xml version="1.0"?><svg/>',
  'GIF89a',
  'BM',
  '',
])('a file that begins with %j is refused', (text) => {
  expect(toPicture(Buffer.from(text))).toContain('not a PNG, JPEG or WebP');
});

test.each([
  'data:image/png,abc',
  'data:image/svg+xml;utf8,<svg/>',
  'data:;base64,',
  'data:image/png;base64,%41',
  '',
])('the data url %j has no picture', (url) => expect(decodeDataUrl(url)).toBeTypeOf('string'));

test('no bytes make it throw or hang, whatever picture they begin like', () => {
  const heads = [pixel.subarray(0, 8), webp.subarray(0, 16), jpeg.subarray(0, 4), Buffer.alloc(0)];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 300 }), (head, rest) => {
      const picture = toPicture(Buffer.concat([head, rest]));
      expect(typeof picture === 'string' || picture.bytes.length > 0).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
