import { ConnectionError } from './errors.ts';
import type { Send } from './requests.ts';

/** Bound on the characters of a line. A marketplace never sends a longer one. */
const charactersMax = 4 * 1024 * 1024;
/**
 * Milliseconds without a response, or without any bytes of it, after which a stream counts as lost. The service sends a comment
 * or a space every 15 s.
 */
const silenceMsMax = 45_000;

/** Opens a stream. @throws ConnectionError if there is no response for `silenceMsMax`, and the errors of `send` */
export async function openStream(
  send: Send,
  url: string | URL,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new ConnectionError('The stream did not begin.')), silenceMsMax);
  const either = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
  try {
    return await send(new Request(url, { ...init, signal: either }), { attempts: 1 });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Yields the lines of a body as they arrive. Leaves out text after the last line break, since a lost connection may end
 * in the middle of a line. Cancels the body when the caller stops reading.
 * @throws ConnectionError if the connection is lost or silent, or a line is too long
 */
export async function* readLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await readWithin(reader.read());
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

async function readWithin<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const lost = () => reject(new ConnectionError(`The stream was silent for ${silenceMsMax / 1000} s.`));
    timer = setTimeout(lost, silenceMsMax);
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
