import { ConnectionError } from './errors.ts';

/** Bound on the characters of a line. A marketplace never sends a longer one. */
const charactersMax = 4 * 1024 * 1024;

/**
 * Yields the lines of a body as they arrive. Leaves out text after the last line break, since a lost connection may end
 * in the middle of a line. Cancels the body when the caller stops reading.
 * @param silenceMsMax timeout in milliseconds: the connection counts as lost if no bytes arrive for this long
 * @throws ConnectionError if the connection is lost, or a line is too long
 */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  { silenceMsMax }: { silenceMsMax?: number } = {},
): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await readWithin(reader.read(), silenceMsMax);
      if (done) return;
      pending += decoder.decode(value, { stream: true });
      // A carriage return at the very end may be half of a line break.
      const lines = pending.split(/\r\n|\n|\r(?!$)/);
      pending = lines.pop() ?? '';
      if (pending.length > charactersMax) throw new ConnectionError('A line of the stream is too long.');
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function readWithin<T>(read: Promise<T>, ms: number | undefined): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    if (ms === undefined) return;
    timer = setTimeout(() => reject(new ConnectionError(`The stream was silent for ${ms / 1000} s.`)), ms);
  });
  try {
    return await Promise.race([read, silence]);
  } catch (error) {
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError('The connection was cut.', error);
  } finally {
    clearTimeout(timer);
  }
}
