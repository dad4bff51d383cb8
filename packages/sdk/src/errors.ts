/** A wrong field of a request. */
export interface FieldError {
  /** Path of the field, such as `body.packageId` or `query.limit`. */
  path: string;
  message: string;
}

/** An error response of the marketplace (RFC 9457). Decide by `status` and `code`. The other fields are for people. */
export class MarketplaceError extends Error {
  readonly status: number;
  /** A stable word, such as `not_found`. It is `http_<status>` if a proxy responded instead of the marketplace. */
  readonly code: string;
  readonly title: string;
  /** Id of the request, to quote in a problem report. */
  readonly requestId: string | undefined;
  /** One entry for each wrong field. */
  readonly errors: readonly FieldError[];
  /** Seconds after which the same request may succeed; undefined if the response has no `retry-after`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Response, body: unknown) {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    const text = (name: string) => (typeof problem[name] === 'string' ? problem[name] : undefined);
    const title = text('title') ?? `The response has status ${response.status}`;
    super(text('detail') ?? title);
    this.name = 'MarketplaceError';
    this.status = response.status;
    this.code = text('code') ?? `http_${response.status}`;
    this.title = title;
    this.requestId = text('requestId') ?? response.headers.get('x-request-id') ?? undefined;
    this.errors = Array.isArray(problem.errors) ? problem.errors.filter(isFieldError).slice(0, rowsMax) : [];
    this.retryAfterSeconds = parseRetryAfter(response.headers.get('retry-after'));
  }
}

/** Bound on the entries of `errors` that are read. */
const rowsMax = 100;

const isFieldError = (row: Partial<FieldError> | null): row is FieldError =>
  typeof row?.path === 'string' && typeof row.message === 'string';

/** A GraphQL query that failed as a whole or in part. Decide by `code`. */
export class GraphError extends Error {
  /** A stable word, such as `query_too_large`, of the first error. */
  readonly code: string;
  /** All errors in the form of the response. */
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    const [first] = errors as readonly { message?: unknown; extensions?: { code?: unknown } }[];
    super(typeof first?.message === 'string' ? first.message : 'The graph returned an error.');
    this.name = 'GraphError';
    this.code = typeof first?.extensions?.code === 'string' ? first.extensions.code : 'unknown';
    this.errors = errors;
  }
}

/**
 * There is no response: the marketplace cannot be reached, or the connection ended too early. `cause` has the reason.
 */
export class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}

/**
 * Converts the error of a request without a whole response to a `ConnectionError`: it timed out, ended too early, or is not
 * JSON. Returns other errors unchanged, also the reason of the caller's aborted signal.
 */
export function toConnectionError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return error;
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new ConnectionError('The marketplace did not respond in time.');
  if (!(error instanceof SyntaxError || error instanceof TypeError)) return error;
  return new ConnectionError('The response ended too early, or is not JSON.', error);
}

/** Converts `retry-after`, a number of seconds or a date, to seconds. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
