import { hiddenCharacter } from '@adaptor-marketplace/adaptor/names';

/** Bytes of the text of a review. */
export const reviewTextBytesMax = 4 * 1024;

const hidden = new RegExp(`(?!\\n)${hiddenCharacter.source}`, 'gu');

/**
 * Leaves out of a reviewer's text what readers cannot see: control characters other than line breaks, invisible
 * characters, those that change the direction of text, and space around it.
 */
export const tidyReviewText = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(hidden, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

/** Reads the text of a review from a file: UTF-8 with visible characters. */
export function readReviewText(bytes: Uint8Array): { text: string } | { error: string } {
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { error: 'The file is not UTF-8 text.' };
  }
  const text = tidyReviewText(decoded);
  return text === '' ? { error: 'The file has no visible text.' } : { text };
}
