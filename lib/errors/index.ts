import { listStatuses, type ProblemCode, problems, type StatusOf } from './problems.ts';

export { isDatabaseAway } from './database-away.ts';
export { isProblemCode, listStatuses, type ProblemCode, problemSections, problems } from './problems.ts';

/** Error response to a request (RFC 9457). */
export interface Problem {
  status: number;
  /** Stable: clients switch on it. */
  code: ProblemCode;
  title: string;
  /** The error of this request, and what to do. */
  detail: string;
  errors?: FieldError[] | undefined;
  headers?: Record<string, string> | undefined;
}

/** One wrong field of a request: `path` in dotted form (`query.network`, `body.packageId`). */
export interface FieldError {
  path: string;
  message: string;
  /** Position of the wrong character in a text, counted from 1. */
  position?: number | undefined;
}

/** A problem to throw. `problem()` makes one from a code. */
export class ProblemError extends Error implements Problem {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;

  constructor({ status, code, title, detail, errors, headers }: Problem) {
    super(detail);
    this.name = 'ProblemError';
    this.status = status;
    this.code = code;
    this.title = title;
    this.errors = errors;
    this.headers = headers ?? {};
  }

  get detail(): string {
    return this.message;
  }
}

interface ProblemOptions<Code extends ProblemCode> {
  errors?: FieldError[] | undefined;
  headers?: Record<string, string>;
  /** Absent: the usual one of the code. */
  status?: StatusOf<Code>;
}

/** The error of a code, with the status, title and `retry-after` that the table of errors has for it. */
export function problem<Code extends ProblemCode>(
  code: Code,
  detail: string,
  options: ProblemOptions<Code> = {},
): ProblemError {
  const { title, retryAfterSeconds } = problems[code];
  const { errors, status = listStatuses(code)[0] } = options;
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...options.headers,
  };
  return new ProblemError({ status, code, title, detail, errors, headers });
}

/** Returns the error for a network's node that was late (504) or could not answer (502), without quoting the node. */
export function nodeProblem(late: boolean): ProblemError {
  return late
    ? problem('node_timeout', "The network's node took too long. Try again shortly.")
    : problem('node_unavailable', "The network's node could not answer. Try again shortly.");
}

export const kvUnavailable: ProblemError = problem(
  'kv_unavailable',
  'The key-value store cannot be reached. Try again shortly.',
);

/**
 * A failure that ends a process or a source, because trying again cannot help: a wrong setting, a pruned
 * cursor, a database that belongs to another chain. Callers retry everything else.
 */
export class FatalError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FatalError';
    this.code = code;
  }
}
