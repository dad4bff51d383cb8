import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { json } from '../sql/values.ts';
import { readFirstRows } from './sql.ts';

const columns = [
  { name: 'a "name"', type: 'text' },
  { name: 'n', type: 'int4' },
];
const write = json.rows(columns);
const writeResult = (rows: readonly (string | null)[][]) =>
  json.head(columns) + rows.map((row, at) => write(row, at === 0)).join('') + json.end(rows.length);

/** A body that arrives in parts of the given numbers of bytes. */
const inParts = (text: string, sizes: readonly number[]) => {
  let rest = Buffer.from(text);
  const parts = [...sizes, rest.length].map((size) => {
    const part = rest.subarray(0, size);
    rest = rest.subarray(size);
    return part;
  });
  return Readable.from(parts.filter(({ length }) => length > 0));
};

test('the first rows of a result are read whole, wherever its parts end', async () => {
  const text = fc.option(fc.string({ unit: 'binary' }).map((one) => one.replaceAll('\0', '').toWellFormed()));
  const row = fc.tuple(text, fc.nat().map(String));
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 230 }),
      fc.array(fc.integer({ min: 1, max: 300 })),
      async (rows, sizes) => {
        const outcome = await readFirstRows(inParts(writeResult(rows), sizes));
        const first = rows.slice(0, 200).map(([name, n]) => [name, Number(n)]);
        expect(outcome).toEqual({ columns, rows: first, isCut: rows.length > 200 });
      },
    ),
    { numRuns: 40 },
  );
});

test('a result that ends early is not taken for the whole', async () => {
  const text = writeResult([['a', '1']]);
  const early = text.slice(0, text.lastIndexOf('\n]'));
  expect(await readFirstRows(inParts(early, []))).toMatchObject({ title: 'The result ended early' });
});

test('rows that are large are read as far as the page can show them', async () => {
  const large = 'x'.repeat(1024 * 1024);
  const text = writeResult(Array.from({ length: 100 }, () => [large, '1']));
  let read = 0;
  async function* arrive() {
    for (let at = 0; at < text.length; at += 65_536) {
      const part = Buffer.from(text.slice(at, at + 65_536));
      read += part.length;
      yield part;
    }
  }
  const outcome = await readFirstRows(arrive());
  expect(outcome).toMatchObject({ isCut: true });
  expect('rows' in outcome && outcome.rows.length).toBe(3);
  expect(read).toBeLessThan(5 * 1024 * 1024);
  const one = writeResult([[large.repeat(5), '1']]);
  expect(await readFirstRows(inParts(one, []))).toMatchObject({ status: 422, title: 'SQL result too large' });
});
