import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from './html.ts';

/** A character that is invisible or changes the text direction. The emoji variation selector U+FE0F is allowed. */
const hidden = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const runs = /((?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]|\s+)/u;
const otherLetter = /(?!\p{Script=Latin})\p{L}/u;
const notAscii = /[^\p{ASCII}]/u;

const formatCodePoint = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns `true` if other letters imitate Latin ones: in the whole word, or mixed with Latin letters. */
function isDisguised(word: string): boolean {
  if (!notAscii.test(word)) return false;
  const isMixed = otherLetter.test(word) && /\p{Script=Latin}/u.test(word);
  const letters = word.replace(/[^\p{L}]/gu, '');
  const isLookalike = letters !== '' && otherLetter.test(letters) && !notAscii.test(nameSkeleton(letters));
  return isMixed || isLookalike || /[\u{1d400}-\u{1d7ff}\uff21-\uff5a]/u.test(word);
}

function part(text: string): Html {
  if (/^\s+$/.test(text)) return ' ';
  if (hidden.test(text)) {
    const name = `Hidden character ${formatCodePoint(text)}`;
    return html`<span class="odd" title=${name}>[${formatCodePoint(text)}]</span>`;
  }
  if (!isDisguised(text)) return text;
  const odd = [...text].find((character) => otherLetter.test(character)) ?? text;
  return html`<span class="odd" title=${`Contains letters that look like others, such as ${formatCodePoint(odd)}`}>${text}</span>`;
}

/** Prepares a stranger's text for a place without markup. Code points replace invisible characters: `[U+200B]`. */
export const visibleText = (text: string): string =>
  text
    .split(runs)
    .map((part) => (/^\s+$/.test(part) ? ' ' : hidden.test(part) ? `[${formatCodePoint(part)}]` : part))
    .join('');

/** Renders a stranger's text, isolated in its own direction. It marks invisible characters and lookalike letters. */
export function plain(text: string): Html {
  return html`<bdi>${text.split(runs).map(part)}</bdi>`;
}

/** Formats JSON that may have a stranger's text, with escapes in place of invisible characters. */
export function visibleJson(json: string): string {
  const escapeCharacter = (character: string) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(JSON.parse(json), null, 2)
    .split('\n')
    .map((line) => line.replace(new RegExp(hidden, 'gu'), escapeCharacter))
    .join('\n');
}
