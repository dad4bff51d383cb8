import { nameSkeleton } from './skeleton.ts';

/** A character that is invisible or changes the text direction. The emoji variation selector U+FE0F is allowed. */
export const hiddenCharacter =
  /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const separators = new RegExp(`(${hiddenCharacter.source}|\\s+)`, 'u');
const otherLetter = /(?!\p{Script=Latin})\p{L}/u;
const notAscii = /[^\p{ASCII}]/u;
const styledLetter = /[\u{1d400}-\u{1d7ff}\uff21-\uff5a]/u;

/** A piece of a text. A `hidden` piece is a single character, a `lookalike` piece a word. */
export type TextPiece =
  | { kind: 'plain'; text: string }
  | { kind: 'hidden' | 'lookalike'; text: string; codePoint: string };

/**
 * Splits a stranger's text into pieces that are what they seem and pieces that deceive: invisible characters, and words
 * in which other letters imitate Latin ones. `codePoint` is the character that deceives, such as `U+0430`. Spaces and
 * line breaks become one space.
 */
export function splitText(text: string): TextPiece[] {
  return text
    .split(separators)
    .filter((piece) => piece !== '')
    .map((piece) => {
      if (/^\s+$/.test(piece)) return { kind: 'plain', text: ' ' };
      if (hiddenCharacter.test(piece))
        return { kind: 'hidden', text: piece, codePoint: formatCodePoint(piece) };
      if (!isDisguised(piece)) return { kind: 'plain', text: piece };
      const imitation = [...piece].find((character) => otherLetter.test(character)) ?? piece;
      return { kind: 'lookalike', text: piece, codePoint: formatCodePoint(imitation) };
    });
}

/**
 * Writes a stranger's text for output without markup, such as a terminal. A code point replaces each invisible
 * character, and follows each word that imitates another.
 *
 * @example
 * displayText('Reef V\u0430ult'); // 'Reef Vаult[U+0430]'
 */
export const displayText = (text: string): string =>
  splitText(text)
    .map((piece) => {
      if (piece.kind === 'plain') return piece.text;
      return piece.kind === 'hidden' ? `[${piece.codePoint}]` : `${piece.text}[${piece.codePoint}]`;
    })
    .join('');

/** Returns `true` if other letters imitate Latin ones: in the whole word, or mixed with Latin letters. */
function isDisguised(word: string): boolean {
  if (!notAscii.test(word)) return false;
  const isMixed = otherLetter.test(word) && /\p{Script=Latin}/u.test(word);
  const letters = word.replace(/[^\p{L}]/gu, '');
  const isLookalike = letters !== '' && otherLetter.test(letters) && !notAscii.test(nameSkeleton(letters));
  return isMixed || isLookalike || styledLetter.test(word);
}

const formatCodePoint = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
