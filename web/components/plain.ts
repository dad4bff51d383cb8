import { hiddenCharacter, splitText } from '@adaptor-marketplace/adaptor/names';
import { type Html, html } from './html.ts';

/** Renders a stranger's text, isolated in its own direction. It marks invisible characters and lookalike letters. */
export function plain(text: string): Html {
  return html`<bdi>${splitText(text).map((piece) => {
    if (piece.kind === 'plain') return piece.text;
    if (piece.kind === 'hidden')
      return html`<span class="odd" title=${`Hidden character ${piece.codePoint}`}>[${piece.codePoint}]</span>`;
    return html`<span class="odd" title=${`Contains letters that look like others, such as ${piece.codePoint}`}>${piece.text}</span>`;
  })}</bdi>`;
}

/** Renders a stranger's text with its lines and columns, for an element that keeps them. */
export const plainBlock = (text: string): Html =>
  text.split(/([\n\t]| {2,})/).map((piece, at) => (at % 2 === 1 ? piece : plain(piece)));

const hiddenCharacters = new RegExp(hiddenCharacter, 'gu');

/** Formats JSON that may have a stranger's text, with escapes in place of invisible characters. */
export function visibleJson(json: string): string {
  const escapeCharacter = (character: string) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('');
  return JSON.stringify(JSON.parse(json), null, 2)
    .split('\n')
    .map((line) => line.replace(hiddenCharacters, escapeCharacter))
    .join('\n');
}
