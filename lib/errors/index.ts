/**
 * Errors that callers of the HTTP API see, as RFC 9457 problem details.
 * `code` is a stable snake_case word that clients may switch on; `detail` says what to do.
 */
export class ProblemError extends Error {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly fields: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.status = problem.status;
    this.code = problem.code;
    this.title = problem.title;
    this.fields = problem.errors;
    this.headers = problem.headers ?? {};
  }
}

/** One wrong field of a request: `path` in dotted form (`query.network`, `body.packageId`). */
export interface FieldError {
  path: string;
  message: string;
}

export interface Problem {
  status: number;
  code: string;
  title: string;
  detail: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
}

/**
 * A failure that ends a process or a source, because trying again cannot help: a wrong setting, a pruned
 * cursor, a database that belongs to another chain. Everything else is retried by whoever catches it.
 */
export class FatalError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FatalError';
    this.code = code;
  }
}
