/** A wrong field of a request. */
export interface FieldError {
  /** Such as `body.packageId` or `query.limit`. */
  path: string;
  message: string;
}

/** An error response of the marketplace (RFC 9457). Decide by `status` and `code`; the rest is for people. */
export class MarketplaceError extends Error {
  readonly status: number;
  /** A stable word, such as `not_found`; `http_<status>` where a proxy answered in the marketplace's place. */
  readonly code: string;
  readonly title: string;
  /** Name it when you report a problem. */
  readonly requestId: string | undefined;
  /** One row for each wrong field. */
  readonly errors: readonly FieldError[];
  /** Seconds after which the same request may succeed, where the response names them. */
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
    this.retryAfterSeconds = secondsOf(response.headers.get('retry-after'));
  }
}

/** Rows of a problem that are read. */
const rowsMax = 100;

const isFieldError = (row: Partial<FieldError> | null): row is FieldError =>
  typeof row?.path === 'string' && typeof row.message === 'string';

/** A query of the graph that was not answered, or only in part. Decide by `code`. */
export class GraphError extends Error {
  /** A stable word, such as `too_complex`, of the first error. */
  readonly code: string;
  /** All errors, as the graph sent them. */
  readonly errors: readonly unknown[];

  constructor(errors: readonly unknown[]) {
    const [first] = errors as readonly { message?: unknown; extensions?: { code?: unknown } }[];
    super(typeof first?.message === 'string' ? first.message : 'The graph answered with an error.');
    this.name = 'GraphError';
    this.code = typeof first?.extensions?.code === 'string' ? first.extensions.code : 'unknown';
    this.errors = errors;
  }
}

/** No response: the marketplace cannot be reached, or the connection ended too early. `cause` has the reason. */
export class ConnectionError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}

/** `retry-after` is a number of seconds, or a date. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}
