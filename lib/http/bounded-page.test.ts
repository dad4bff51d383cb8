import { expect, test } from 'vitest';
import { answerEntriesMax, boundPage, cutPage } from './bounded-page.ts';

const createPage = (count: number, item: unknown, hasMore = false) => ({
  items: Array.from({ length: count }, () => item),
  cursors: Array.from({ length: count }, (_, at) => `after ${at}`),
  hasMore,
});

test('a page that fits is written whole, and goes on where the list does', () => {
  expect(boundPage(createPage(2, 'x'))).toEqual({ items: ['"x"', '"x"'], nextCursor: undefined });
  expect(boundPage(createPage(2, 'x', true)).nextCursor).toBe('after 1');
  expect(boundPage(createPage(0, 'x'))).toEqual({ items: [], nextCursor: undefined });
});

test('a page ends before the item that would be too much, in bytes as they are sent', () => {
  const { items, nextCursor } = boundPage(createPage(5, 'ä€'), 16);
  expect([items.join(','), nextCursor]).toEqual(['"ä€","ä€"', 'after 1']);
  expect(cutPage(createPage(5, 'ä€'), 16)).toEqual({ items: ['ä€', 'ä€'], nextCursor: 'after 1' });
});

test('an item that alone is too much is the whole page', () => {
  expect(boundPage(createPage(3, 'x'.repeat(100)), 10)).toEqual({
    items: [expect.any(String)],
    nextCursor: 'after 0',
  });
});

test('no page has more entries than an answer holds', () => {
  const page = createPage(answerEntriesMax + 1, 1);
  expect(boundPage(page).items).toHaveLength(answerEntriesMax);
  expect(cutPage(page).nextCursor).toBe(`after ${answerEntriesMax - 1}`);
});
