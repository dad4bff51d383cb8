import { type ProblemError, problem } from '../lib/errors/index.ts';

/** Most bytes that one query may read from the database. They stay in memory until the query is answered. */
export const readBytesMax = 8_000_000;

export const answerTooLargeCode = 'answer_too_large';

/** The error of a query whose answer, or whose data, is too large. `what` names what is too large. */
export function answerTooLarge(what: string): ProblemError {
  return problem(answerTooLargeCode, `${what}. Ask for fewer items per page, or for fewer fields.`);
}

/** Approximate number of bytes of text and numbers in the rows of a statement. Works without recursion. */
export function bytesOf(rows: readonly unknown[]): number {
  const open: unknown[] = [...rows];
  let bytes = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      for (const [key, inner] of Object.entries(value)) {
        bytes += key.length;
        open.push(inner);
      }
    } else bytes += 8;
  }
  return bytes;
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
  const written: string[] = [];
  let bytes = 0;
  return write(value) ? written.join('') : undefined;

  function put(text: string): boolean {
    bytes += Buffer.byteLength(text);
    if (bytes > bytesMax) return false;
    written.push(text);
    return true;
  }

  function write(value: unknown): boolean {
    if (value instanceof JsonText) return put(value.text);
    if (Array.isArray(value)) {
      return put('[') && value.every((item, at) => (at === 0 || put(',')) && write(item)) && put(']');
    }
    if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      return put('{') && fields.every(([key, field], at) => writeField(key, field, at)) && put('}');
    }
    return put(JSON.stringify(value) ?? 'null');
  }

  function writeField(key: string, value: unknown, at: number): boolean {
    return put(`${at === 0 ? '' : ','}${JSON.stringify(key)}:`) && write(value);
  }
}
