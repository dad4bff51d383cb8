import { type ProblemError, problem } from '../../lib/errors/index.ts';

/** Maximum bytes that one query may read from the database. They stay in memory until the query is answered. */
export const readBytesMax = 8_000_000;

export const answerTooLargeCode = 'answer_too_large';

/** The error of a query whose answer, or whose data, is too large. `what` names what is too large. */
export function answerTooLarge(what: string): ProblemError {
  return problem(answerTooLargeCode, `${what}. Ask for fewer items per page, or for fewer fields.`);
}

/** JSON text that is written to an answer unchanged, without parsing it. */
export class JsonText {
  readonly text: string;

  /** @param text valid JSON */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * Writes a value as JSON. Returns undefined as soon as the text exceeds `bytesMax` bytes, so that a value that contains
 * the same large part many times never takes more memory than that.
 */
export function writeJson(value: unknown, bytesMax: number): string | undefined {
  let text = '';
  // A character takes one to three bytes.
  const isTooLong = !write(value) || (text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax);
  return isTooLong ? undefined : text;

  function write(value: unknown): boolean {
    if (typeof value === 'string') text += JSON.stringify(value);
    else if (typeof value !== 'object' || value === null) text += JSON.stringify(value) ?? 'null';
    else if (value instanceof JsonText) text += value.text;
    else if (Array.isArray(value)) return writeList(value);
    else if ('toJSON' in value) text += JSON.stringify(value);
    else return writeFields(value);
    return text.length <= bytesMax;
  }

  function writeList(items: readonly unknown[]): boolean {
    text += '[';
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) text += ',';
      if (!write(items[at])) return false;
    }
    text += ']';
    return true;
  }

  function writeFields(fields: object): boolean {
    let separator = '{';
    for (const key of Object.keys(fields)) {
      const field = fields[key as never];
      if (field === undefined) continue;
      text += separator + encodeName(key);
      separator = ',';
      if (!write(field)) return false;
    }
    text += separator === '{' ? '{}' : '}';
    return true;
  }
}

/** Keys as JSON with their colon. The same few occur in every answer. */
const names = new Map<string, string>();
const namesMax = 2_000;

function encodeName(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  const name = `${JSON.stringify(key)}:`;
  if (names.size < namesMax && key.length < 100) names.set(key, name);
  return name;
}
