import { expect, test } from 'vitest';
import { reviewTextBytesMax } from '../../../lib/manifests/review-text.ts';
import { createReviewText } from './review-text.ts';

const read = (body: unknown) => createReviewText.body!.safeParse(body);

test.each([
  ['  It paid\u202e out.\r\n\r\n\r\n\r\nOn time. ', 'It paid out.\n\nOn time.'],
  ['ü'.repeat(reviewTextBytesMax / 2), 'ü'.repeat(reviewTextBytesMax / 2)],
])('a text is stored as the page shows it: %#', (text, stored) => {
  expect(read({ text }).data).toEqual({ text: stored });
});

test.each([
  [{ text: '' }, 'expected some visible characters'],
  [{ text: ' \u200b\n\u202e ' }, 'expected some visible characters'],
  [{ text: `${'ü'.repeat(reviewTextBytesMax / 2)}.` }, 'expected at most 4096 bytes'],
  [{ text: 'Good.', score: 5 }, 'score'],
  [{}, 'expected string'],
])('%# is refused with the reason', (body, reason) => {
  expect(JSON.stringify(read(body).error?.issues)).toContain(reason);
});
