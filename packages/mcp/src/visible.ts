import { unseen } from './text.ts';

/*
 * A question to a person contains texts of strangers. A client may show the question as Markdown or HTML, so these texts
 * must not form a line, a link or other markup.
 */

/** Markup of Markdown, HTML and formulas, underscores at the edge of a word, and bare links (`//…`, `www.…`). */
const markup = String.raw`[<\x60\[\]*~$&@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|(?<=/)/|(?<=[wW]{3})\.`;
/** Blanks after a blank, and blanks other than a space: a reader cannot count them, and they can fill a line. */
const blanks = String.raw`(?<=\s)\s|(?! )\p{Zs}`;
/** Enclosing marks, and the fourth and later marks on a character: they can cover the lines around it. */
const marks = String.raw`\p{Me}|(?<=\p{M}{3})\p{M}`;
/** Characters that a text must not show as they are. */
const active = new RegExp(`${unseen.source}|${markup}|${blanks}|${marks}`, 'gu');
const hasActive = (text: string) => text.search(active) >= 0;

const escapeUnits = (part: string) =>
  part
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Returns a value as JSON, in whose strings `active` characters are escaped. `JSON.parse` returns the same value. */
export const toVisibleJson = (value: unknown): string =>
  (JSON.stringify(value) ?? 'undefined').replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(active, escapeUnits),
  );

const plainTextMax = 600;

/** Returns an id, or a path of words such as `jar::tip`, unchanged, and anything else as JSON. */
export const toVisibleText = (value: unknown): string =>
  typeof value === 'string' && value.length <= plainTextMax && /^[\w:]+$/.test(value) && !hasActive(value)
    ? value
    : toVisibleJson(value);

/** Returns a Move type unchanged, unless one of its parts could be a tag of HTML. */
export function toVisibleType(type: string): string {
  const isPlain = type.length <= plainTextMax && /^[\w:<>, ]+$/.test(type);
  return isPlain && !hasActive(type.replaceAll('<0x', ' 0x')) ? type : toVisibleJson(type);
}

/** Lists each value inside of an object or a list on a line, with the path to it. */
export function listValueLines(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`- ${path} = ${toVisibleJson(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return path === '' ? [] : [`- ${path} = ${Array.isArray(value) ? '[]' : '{}'}`];
  return entries.flatMap(([key, inner]) =>
    listValueLines(inner, path === '' ? toVisibleText(key) : `${path}.${toVisibleText(key)}`),
  );
}
