import { ConnectionError, MarketplaceError } from './errors.ts';

export interface MarketplaceOptions {
  /** The marketplace's address, such as `https://marketplace.example`. */
  baseUrl: string;
  /** API key, `mk_...`. It raises the rate limit, and webhooks need it. */
  apiKey?: string | undefined;
  /** Bearer token: an executor key (`ek_...`) or a session (`as_...`), with which actions run. */
  token?: string | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Sends a request with the caller's credentials.
 * @throws MarketplaceError for an error response, ConnectionError without one, and the signal's reason
 */
export type Send = (request: Request, options?: SendOptions) => Promise<Response>;

interface SendOptions {
  /** How often the request is sent at most. */
  attempts?: number;
  /** For the response with its body, over all attempts. */
  timeoutMs?: number;
}

const attemptsMax = 4;
/** A marketplace that asks for a longer wait gets no second request: the caller decides. */
const retryAfterSecondsMax = 30;
const firstDelayMs = 250;
const delayMsMax = 30_000;
/** Of an error response; a marketplace sends less than 10 kB. */
const problemBytesMax = 1_000_000;

/** Reads by POST: they change nothing, or store the same thing again. */
const readingPosts = /\/(?:api\/adaptors\/(?:introspect|infer|draft)|graphql)$/;

/** Reads alone are sent again: a write that got no response may have happened. */
const isRepeatable = ({ method, url }: Request) =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && readingPosts.test(new URL(url).pathname));

export function createSend({
  apiKey,
  token,
  fetch = (request) => globalThis.fetch(request),
}: MarketplaceOptions): Send {
  async function sendOnce(request: Request): Promise<Response> {
    request.signal.throwIfAborted();
    const response = await fetch(request).catch((error: unknown) => {
      request.signal.throwIfAborted();
      throw new ConnectionError(`${new URL(request.url).origin} does not answer.`, error);
    });
    if (response.ok) return response;
    const body = await bounded(response, problemBytesMax)
      .json()
      .catch(() => undefined);
    throw new MarketplaceError(response, body);
  }

  return async (original, { attempts = attemptsMax, timeoutMs } = {}) => {
    const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
    const signal = AbortSignal.any([original.signal, ...timeout]);
    // A redirect would carry the credentials elsewhere.
    const request = new Request(original, { redirect: 'error', signal });
    if (apiKey !== undefined) request.headers.set('x-api-key', apiKey);
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    for (let attempt = 1; ; attempt++) {
      try {
        // A body can be read once, and each attempt reads it.
        return await sendOnce(request.clone());
      } catch (error) {
        if (attempt >= attempts || !isRepeatable(request) || !isTransient(error)) throw error;
        await delay(delayMsAfter(attempt, error), request.signal);
      }
    }
  };
}

/** Whether the same request may succeed soon. A 429 or 503 says so by `retry-after`. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof MarketplaceError)) return false;
  const { status, retryAfterSeconds } = error;
  if (status === 502 || status === 504) return true;
  if (status !== 429 && status !== 503) return false;
  return retryAfterSeconds !== undefined && retryAfterSeconds <= retryAfterSecondsMax;
}

/** What `retry-after` asks for, or twice as long after each failure, with up to half of it taken off at random. */
export function delayMsAfter(failures: number, error: unknown): number {
  const asked = error instanceof MarketplaceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  const growing = Math.min(delayMsMax, firstDelayMs * 2 ** (failures - 1));
  return Math.max(asked, growing * (0.5 + Math.random() / 2));
}

export async function delay(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The same response, whose body fails with a ConnectionError when it is longer. */
export function bounded(response: Response, bytesMax: number): Response {
  const { status, statusText, headers } = response;
  // Chromium gives such a response a body, and refuses to make one with a body.
  if (!response.body || status === 204 || status === 205 || status === 304) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= bytesMax) controller.enqueue(chunk);
      else controller.error(new ConnectionError(`The response is longer than ${bytesMax} bytes.`));
    },
  });
  return new Response(response.body.pipeThrough(count), { status, statusText, headers });
}
