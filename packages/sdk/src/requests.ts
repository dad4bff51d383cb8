import { ConnectionError, MarketplaceError } from './errors.ts';

/** Address and credentials of a client. Reads of public data need no credentials. */
export interface MarketplaceOptions {
  /** The marketplace's address, such as `https://marketplace.example`. */
  baseUrl: string;
  /** API key, `mk_...`. It raises the rate limit, and webhooks need it. */
  apiKey?: string | undefined;
  /** Bearer token for actions: an executor key (`ek_...`) or a session (`as_...`). */
  token?: string | undefined;
  /** Replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Sends a request with the caller's credentials. Retries transient failures of reads.
 * @throws MarketplaceError for an error response, ConnectionError without a response, and the signal's reason
 */
export type Send = (request: Request, options?: SendOptions) => Promise<Response>;

interface SendOptions {
  /** Bound on attempts, including the first. Default: 4. */
  attempts?: number;
  /** Timeout for the response and its body, over all attempts. */
  timeoutMs?: number;
}

const attemptsMax = 4;
/** A longer `retry-after` gets no retry: the caller decides. */
const retryAfterSecondsMax = 30;
const firstDelayMs = 250;
const delayMsMax = 30_000;
/** Bound on the body of an error response. A marketplace sends less than 10 kB. */
const problemBytesMax = 1_000_000;

/** Paths of POST requests that can be repeated: they change nothing, or store the same content again. */
const repeatablePosts = /\/(?:api\/(?:explain|adaptors\/(?:introspect|infer|draft|verify))|graphql)$/;

/** Only these requests are retried: a write without a response may have happened. */
const isRepeatable = ({ method, url }: Request) =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && repeatablePosts.test(new URL(url).pathname));

/**
 * Requests by the body of their response, which keeps them from garbage collection until it is read. Node passes an abort on
 * only while the `Request` that has the caller's signal is referenced.
 */
const requestOfBody = new WeakMap<ReadableStream, Request>();

/** Creates the function that sends every request of a client. It refuses redirects. */
export function createSend({
  apiKey,
  token,
  fetch = (request, init) => globalThis.fetch(request, init),
}: MarketplaceOptions): Send {
  async function sendOnce(request: Request, signal: AbortSignal): Promise<Response> {
    signal.throwIfAborted();
    const response = await fetch(request, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ConnectionError(`${new URL(request.url).origin} does not answer.`, error);
    });
    if (response.ok) return response;
    const body = await limitBody(response, problemBytesMax)
      .json()
      .catch(() => signal.throwIfAborted());
    throw new MarketplaceError(response, body);
  }

  return async (original, { attempts = attemptsMax, timeoutMs } = {}) => {
    const timeout = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
    const signal = AbortSignal.any([original.signal, ...timeout]);
    // A redirect would send the credentials to another host.
    const request = new Request(original, { redirect: 'error' });
    if (apiKey !== undefined) request.headers.set('x-api-key', apiKey);
    if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`);
    for (let attempt = 1; ; attempt++) {
      try {
        // A body can be read once, and each attempt reads it.
        const response = await sendOnce(request.clone(), signal);
        if (response.body) requestOfBody.set(response.body, original);
        return response;
      } catch (error) {
        if (attempt >= attempts || !isRepeatable(request) || !isTransient(error)) throw error;
        await delay(computeDelayMs(attempt, error), signal);
      }
    }
  };
}

/** Returns `true` if a retry may succeed soon. A 429 or 503 only counts with a `retry-after` of at most 30 s. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof MarketplaceError)) return false;
  const { status, retryAfterSeconds } = error;
  if (status === 502 || status === 504) return true;
  if (status !== 429 && status !== 503) return false;
  return retryAfterSeconds !== undefined && retryAfterSeconds <= retryAfterSecondsMax;
}

/** Returns `true` if a retry may succeed later, however long that takes. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof MarketplaceError && (error.status >= 500 || error.status === 429));

/**
 * Returns the delay before a retry in milliseconds: at least the `retry-after` of the error, and at least the backoff.
 * The backoff starts at 250 ms, doubles with each failure up to 30 s, and loses up to half at random.
 */
export function computeDelayMs(failures: number, error: unknown): number {
  const requestedMs = error instanceof MarketplaceError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  const backoffMs = Math.min(delayMsMax, firstDelayMs * 2 ** (failures - 1));
  return Math.max(requestedMs, backoffMs * (0.5 + Math.random() / 2));
}

/** The longest timer. A longer one would end at once. */
const timerMsMax = 2 ** 31 - 1;

/**
 * Waits for a number of milliseconds, and for 24 days at most.
 * @throws the signal's reason, as soon as it aborts
 */
export async function delay(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(ms, timerMsMax),
    );
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns the same response with a bound on its body. A longer body fails with a ConnectionError. */
export function limitBody(response: Response, bytesMax: number): Response {
  const { status, statusText, headers } = response;
  // Chromium gives such a response a body, but its constructor refuses one.
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
