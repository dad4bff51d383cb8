import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from './html.ts';

/** Invisible, or changes the direction of what follows. The presentation of an emoji is harmless. */
const hidden = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const runs = /((?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]|\s+)/u;
const otherLetter = /(?!\p{Script=Latin})\p{L}/u;
const notAscii = /[^\p{ASCII}]/u;

const codeOf = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Whether a word is written to look like Latin letters without being that: all of it, or letters in between. */
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
    const name = `Hidden character ${codeOf(text)}`;
    return html`<span class="odd" title=${name}>[${codeOf(text)}]</span>`;
  }
  if (!isDisguised(text)) return text;
  const odd = [...text].find((character) => otherLetter.test(character)) ?? text;
  return html`<span class="odd" title=${`Contains letters that look like others, such as ${codeOf(odd)}`}>${text}</span>`;
}

/** A text that a stranger wrote, for where there is no markup: what a reader cannot see is named. */
export const visibleText = (text: string): string =>
  text
    .split(runs)
    .map((part) => (/^\s+$/.test(part) ? ' ' : hidden.test(part) ? `[${codeOf(part)}]` : part))
    .join('');

/** A text that a stranger wrote: text alone, kept to its own direction, with a mark on what a reader cannot see. */
export function plain(text: string): Html {
  return html`<bdi>${text.split(runs).map(part)}</bdi>`;
}

/** JSON of which a stranger wrote parts, set out in lines, with an escape in place of what a reader cannot see. */
export function visibleJson(json: string): string {
  const escapeOf = (character: string) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(JSON.parse(json), null, 2)
    .split('\n')
    .map((line) => line.replace(new RegExp(hidden, 'gu'), escapeOf))
    .join('\n');
}
