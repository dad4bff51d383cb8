import { hiddenCharacter } from '@adaptor-marketplace/adaptor/names';

/** Bytes of the text of a review. */
export const reviewTextBytesMax = 4 * 1024;

const hidden = new RegExp(`(?!\\n)${hiddenCharacter.source}`, 'gu');

/**
 * Reads the text of a review: UTF-8, of which line breaks stay and other control characters, invisible ones and those
 * that change the direction of text go.
 */
export function cleanReviewText(bytes: Uint8Array): { text: string } | { error: string } {
  let decoded: string;
  try {
    decoded = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { error: 'The file is not UTF-8 text.' };
  }
  const text = decoded
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ')
    .replace(hidden, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return text === '' ? { error: 'The file has no visible text.' } : { text };
}
