import { describe, expect, test } from 'vitest';
import { drawApart, openPictures } from '../../../lib/pictures/pictures.ts';
import { adaptorPicture, catalogPicture, type PictureData } from '../../../web/pages/picture.ts';

const entry = (name: string, summary: string): NonNullable<PictureData['adaptor']> => ({
  serviceType: '0x1::a::A',
  publisher: '0x1',
  publisherVerified: true,
  publisherEverVerified: true,
  manifest: { name, summary, category: 'Other', glyph: null, deprecated: null },
  reviews: { count: 1, avg: 4 },
  owners: 1,
  newOwners: 0,
  usageByDay: [],
  sourceVerdict: null,
  canaryState: null,
  canarySinceMs: null,
  warnings: [],
  alikeNames: [],
  usage: { actions: 3 },
  successor: null,
});

/** Width and height, as a PNG begins with them. */
function parseSize(png: Buffer): [number, number] {
  expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe('the picture of an adaptor', () => {
  test('is a PNG of 1,200 by 630 that has its words', async () => {
    const [named, nameless] = await Promise.all(
      ['Reef Vault', ''].map((name) => drawApart(adaptorPicture(entry(name, 'Keeps coins.')))),
    );
    expect(parseSize(named!)).toEqual([1_200, 630]);
    expect(named).not.toEqual(nameless);
  });

  test.each([
    ['markup', '</text><image href="https://evil.example/x.png"/><script>alert(1)</script>'],
    ['the end of a CDATA section', 'a ]]> b'],
    ['characters that XML has not', 'a\u0001\u0000b\ufffe\uffff\ud800'],
    ['hidden and turning characters', 'a\u202eb\u200bc\u2066d'],
    ['letters that no font has', '漢字 🦀 ไทย עברית'],
  ])('is drawn of a name with %s', async (_, text) => {
    const svg = adaptorPicture(entry(text, `${text} ${text.repeat(40)}`));
    expect(svg).not.toMatch(/<(image|script)/);
    expect(parseSize(await drawApart(svg))).toEqual([1_200, 630]);
  });
});

test('the picture of a deprecated adaptor says so, with the successor by its name', async () => {
  const old = entry('Reef Vault', 'Keeps coins.');
  old.manifest.deprecated = 'It <b>costs</b> more.';
  const orphan = adaptorPicture(old);
  expect(orphan).toContain('>Deprecated by its publisher: It &lt;b>costs&lt;/b> more.</text>');
  expect(orphan).not.toContain('Keeps coins.');
  const svg = adaptorPicture({ ...old, successor: { manifest: { name: 'Reef 2' } } });
  expect(svg.replace(/(<.*?>|\s)+/g, ' ')).toContain(
    'Deprecated by its publisher, who names Reef 2 in its place:',
  );
  expect(parseSize(await drawApart(svg))).toEqual([1_200, 630]);
});

test('the picture of the catalog is a PNG of 1,200 by 630 that is not cut', async () => {
  const svg = catalogPicture();
  expect(svg).toContain('Wallet adaptors on Sui</text>');
  expect(svg).toContain('its publisher.</text>');
  expect(parseSize(await drawApart(svg))).toEqual([1_200, 630]);
});

test('what cannot be drawn fails, and is tried again', async () => {
  await expect(drawApart('<svg')).rejects.toThrow();
  let calls = 0;
  const draw = openPictures(async (svg) => {
    calls++;
    if (calls === 1) throw new Error('lost');
    return Buffer.from(svg);
  });
  await expect(draw('a')).rejects.toThrow('lost');
  expect(String(await draw('a'))).toBe('a');
});

test('pictures are drawn once, one at a time, and too many are refused', async () => {
  const waiting: (() => void)[] = [];
  const begun: string[] = [];
  const draw = openPictures(async (svg) => {
    begun.push(svg);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return Buffer.from(svg);
  });
  const names = Array.from({ length: 21 }, (_, at) => `picture ${at}`);
  const pictures = names.map(draw);
  expect(draw('picture 0')).toBe(pictures[0]);
  expect(() => draw('one more')).toThrow(expect.objectContaining({ code: 'site_busy', status: 503 }));
  for (const [at, picture] of pictures.entries()) {
    await expect.poll(() => begun).toEqual(names.slice(0, at + 1));
    waiting[at]!();
    expect(String(await picture)).toBe(names[at]);
  }
});
