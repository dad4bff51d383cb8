/**
 * What a terminal obeys or hides instead of showing: C0 and C1 controls, marks that turn the direction of text,
 * invisible characters, line separators, and halves of surrogate pairs.
 */
const unprintable =
  /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/** Text as one line that shows each such character by its code point, as `\u{1b}`. */
export function escapeControls(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** Indented JSON of a JSON value: the same value when read, with those characters escaped as JSON does it. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((line) => line.replace(unprintable, jsonEscape))
    .join('\n');
}

function jsonEscape(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
