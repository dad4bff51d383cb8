import { hiddenCharacter } from '@adaptor-marketplace/adaptor/names';

export const reviewTextBytesMax = 4 * 1024;

/** Hidden characters other than the line feed. */
const hidden = new RegExp(`(?!\\n)${hiddenCharacter.source}`, 'gu');

/**
 * Removes from a reviewer's text what readers cannot see: control characters other than line breaks, invisible
 * characters, characters that change the direction of text, and space around the text. Tabs become spaces, and at most
 * one empty line stays between two lines.
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
