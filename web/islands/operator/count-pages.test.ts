import { expect, test } from 'vitest';
import { countPages } from './count-pages.ts';

test('what waits for the operator is counted beyond the first page', async () => {
  const pages = new Map([
    [undefined, { items: [1, 2, 3], nextCursor: 'second' }],
    ['second', { items: [4], nextCursor: 'third' }],
    ['third', { items: [5, 6] }],
  ]);
  const load = async (cursor?: string) => pages.get(cursor)!;
  expect(await countPages(load, (item) => item % 2 === 0)).toBe(3);
});
