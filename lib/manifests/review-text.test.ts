import { expect, test } from 'vitest';
import { readReviewText } from './review-text.ts';

const clean = (text: string) => readReviewText(Buffer.from(text));

test.each([
  ['a line break', 'First.\r\nSecond.\n\n\n\nThird.', 'First.\nSecond.\n\nThird.'],
  ['letters of other scripts', 'Отлично, 很好 👍🏽', 'Отлично, 很好 👍🏽'],
  [
    'markup, which is text',
    '<b>Good</b> & [link](https://a.example)',
    '<b>Good</b> & [link](https://a.example)',
  ],
])('%s stays', (_, given, text) => {
  expect(clean(given)).toEqual({ text });
});

test('characters that control output, hide or change the direction of text go', () => {
  expect(clean('\ufeffa\u0000b\u001b[31mc\u202ed\u200be\u2028f\u0085g\u{e0041}h')).toEqual({
    text: 'ab[31mcdefgh',
  });
});

test.each([
  ['bytes that are not UTF-8', Buffer.from([0xc3, 0x28])],
  ['an empty file', Buffer.alloc(0)],
  ['invisible characters alone', Buffer.from('\u200b\u0000 \n')],
])('%s have no text', (_, bytes) => {
  expect(readReviewText(bytes)).toEqual({ error: expect.stringMatching(/^The file .*text\.$/) });
});
