import type { Dispatcher } from 'undici';
import { OutboundError, wrapNetworkError } from './errors.ts';

export interface FetchOptions {
  /** Maximum bytes of the body as sent. A longer one fails with `too_large`. */
  maxBytes: number;
  /** Time limit in milliseconds, from the DNS lookup to the last byte. */
  timeoutMs: number;
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** `true` leaves the connection open, for many requests to one host. */
  keepAlive?: boolean;
}

/** Temporary error statuses of a healthy host: an aggregator's 404 just after an upload, overload. */
const retryableStatuses = new Set([404, 408, 425, 429]);

/**
 * Fetches a whole url within its limits, without redirects and encoded bodies (a small one could decompress without
 * end), and closes the connection unless it shall stay. @throws OutboundError
 */
export async function fetchBytes(
  dispatcher: Dispatcher,
  url: URL,
  options: FetchOptions,
): Promise<Uint8Array> {
  const { maxBytes, timeoutMs, signal, keepAlive = false } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const end = AbortSignal.any(signal ? [deadline, signal] : [deadline]);
  try {
    const exchange = dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'adaptor-marketplace' },
      signal: end,
      reset: !keepAlive,
    });
    // The client obeys the signal only after it has connected; lookup and handshake can stall too.
    const response = await Promise.race([exchange, rejectOnAbort(end)]);
    try {
      refuseHead(response, maxBytes);
      return await readBody(response.body, maxBytes);
    } finally {
      response.body.on('error', () => {}).destroy();
    }
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    if (signal?.aborted) throw signal.reason;
    if (!deadline.aborted) throw wrapNetworkError(error);
    const message = `The host took longer than ${timeoutMs} ms.`;
    throw new OutboundError('timeout', message, { retryable: true, cause: error });
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function refuseHead({ statusCode, headers }: Dispatcher.ResponseData, maxBytes: number): void {
  if (statusCode >= 300 && statusCode < 400) {
    const message = `The host answered with a redirect (${statusCode}); redirects are not followed.`;
    throw new OutboundError('redirect', message, { retryable: false });
  }
  if (statusCode !== 200) {
    const retryable = statusCode >= 500 || retryableStatuses.has(statusCode);
    throw new OutboundError('http_status', `The host answered ${statusCode}.`, { retryable });
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const message = 'The host sent an encoded body although none was accepted.';
    throw new OutboundError('encoded_body', message, { retryable: false });
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** @throws OutboundError `too_large` */
export async function readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(maxBytes: number): OutboundError {
  return new OutboundError('too_large', `The body is larger than ${maxBytes} bytes.`, { retryable: false });
}
