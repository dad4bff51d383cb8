/** JSON that is in an answer as it was read, without being parsed and written again. */
export class JsonText {
  readonly text: string;

  /** @param text sound JSON */
  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/**
 * Writes a value as JSON, and stops where it is more than `bytesMax` bytes: undefined then. No more than that is in
 * memory beside the value, however often parts of it occur.
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
