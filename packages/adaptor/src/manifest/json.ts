/** Bounds on a stranger's JSON document. */
interface JsonLimits {
  bytesMax: number;
  /** Nesting of arrays and objects. A lone scalar has depth 0. */
  depthMax: number;
  /** Object keys in the whole document. */
  keysMax: number;
}

/**
 * The reason why a document is refused, in words for its publisher. The message is short and quotes at most the start
 * of a key.
 */
export class JsonInvalidError extends Error {}

/**
 * Parses a stranger's JSON. The bounds hold before any value is built. Beyond RFC 8259 it requires I-JSON (RFC 7493),
 * since two readers must see the same document behind one hash: unique keys, no lone surrogates, numbers within a
 * double's range. It refuses U+0000 because PostgreSQL cannot store it, and the key `__proto__` because readers that
 * copy objects would change their prototype.
 * @throws JsonInvalidError
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  if (bytes.byteLength > limits.bytesMax) throw new JsonInvalidError(`larger than ${limits.bytesMax} bytes`);
  const text = decodeUtf8(bytes);
  try {
    checkStructure(text, limits);
    return JSON.parse(text, refuseInfinite);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonInvalidError('not JSON');
    throw error;
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new JsonInvalidError('not UTF-8');
  }
}

function refuseInfinite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new JsonInvalidError('a number is beyond the range of a double');
  }
  return value;
}

/**
 * Checks keys, strings and depth in one pass over the text, with the set of keys of each open object. It does not check
 * the syntax: invalid JSON may pass here, and the parser then refuses it.
 */
function checkStructure(text: string, { depthMax, keysMax }: JsonLimits): void {
  const open: Set<string>[] = [];
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(new Set());
      if (open.length > depthMax) throw new JsonInvalidError(`nested deeper than ${depthMax}`);
    } else if (char === '}' || char === ']') {
      open.pop();
    } else if (char === '"') {
      const end = findStringEnd(text, at);
      const value = readString(text.slice(at, end));
      at = end - 1;
      colon.lastIndex = end;
      if (!colon.test(text)) continue;
      if (++keys > keysMax) throw new JsonInvalidError(`more than ${keysMax} keys`);
      if (value === '__proto__') throw new JsonInvalidError('the key "__proto__" is not allowed');
      const siblings = open.at(-1);
      if (siblings?.has(value))
        throw new JsonInvalidError(`the key ${JSON.stringify(value.slice(0, 40))} is repeated`);
      siblings?.add(value);
    }
  }
}

/** Matches the colon that makes the string before it a key. It is sticky, so that the text is never copied. */
const colon = /[ \t\n\r]*:/y;

/** Returns the index after the closing quote of the string that opens at `start`. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  throw new JsonInvalidError('not JSON');
}

function readString(literal: string): string {
  const value: unknown = JSON.parse(literal);
  if (typeof value !== 'string') throw new JsonInvalidError('not JSON');
  if (value.includes('\u0000')) throw new JsonInvalidError('a string contains U+0000');
  if (!value.isWellFormed()) throw new JsonInvalidError('a string contains a lone surrogate');
  return value;
}
