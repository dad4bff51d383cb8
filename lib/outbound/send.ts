import type { Dispatcher } from 'undici';
import { OutboundError, wrapNetworkError } from './errors.ts';

export interface SendOptions {
  headers: Record<string, string>;
  body: Uint8Array;
  /** Maximum bytes of the response body that are read. The rest is ignored. */
  readMax: number;
  /** Time limit in milliseconds, from the DNS lookup to the last byte that is read. */
  timeoutMs: number;
}

export interface SentAnswer {
  status: number;
  retryAfter: string | undefined;
  /** At most `readMax` bytes. */
  body: Buffer;
}

/** Sends once, without redirects; any status is a result. @throws OutboundError if no complete response came in time */
export function sendBytes(
  dispatcher: Dispatcher,
  method: 'POST' | 'PUT',
  url: URL,
  { headers, body, readMax, timeoutMs }: SendOptions,
): Promise<SentAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SentAnswer>();
  let controller: Dispatcher.DispatchController | undefined;
  let hasEnded = false;
  const answer: SentAnswer = { status: 0, retryAfter: undefined, body: Buffer.alloc(0) };

  const end = (failure?: OutboundError) => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(deadline);
    if (failure) reject(failure);
    else resolve(answer);
  };
  const deadline = setTimeout(() => {
    const message = `The host took longer than ${timeoutMs} ms.`;
    end(new OutboundError('timeout', message, { retryable: true }));
    controller?.abort(new Error(message));
  }, timeoutMs);

  const request: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers,
    body,
  };
  dispatcher.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      // The request waited for a connection beyond its deadline, so it must not be sent.
      if (hasEnded) started.abort(new Error('the deadline has passed'));
    },
    onResponseStart(_, status, received) {
      answer.status = status;
      const retryAfter = received['retry-after'];
      answer.retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
    },
    onResponseData(reading, chunk) {
      const left = readMax - answer.body.length;
      answer.body = answer.body.length === 0 ? chunk.subarray(0, left) : joinChunks(answer.body, chunk, left);
      if (chunk.length <= left) return;
      end();
      reading.abort(new Error('enough was read'));
    },
    onResponseEnd: () => end(),
    onResponseError(_, error) {
      end(error instanceof OutboundError ? error : wrapNetworkError(error));
    },
  });
  return promise;
}

const joinChunks = (read: Buffer, chunk: Buffer, left: number) =>
  Buffer.concat([read, chunk.subarray(0, left)]);
