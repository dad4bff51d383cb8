/** Client for the API of this site. It does not load the wallet code. */
import type { Problem } from '@adaptor-marketplace/sdk';

/** An error that says what happened, why, and what to do. */
export class ActionFailedError extends Error {
  readonly title: string;

  constructor(title: string, detail: string) {
    super(detail);
    this.title = title;
  }
}

type ProblemSummary = Pick<Problem, 'code' | 'title'> & Partial<Pick<Problem, 'detail' | 'errors'>>;

export class RequestRefusedError extends ActionFailedError {
  readonly status: number;
  readonly code: string;
  readonly errors: NonNullable<Problem['errors']>;

  constructor(status: number, { code, title, detail = '', errors = [] }: ProblemSummary) {
    super(title, detail);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Returns `true` if the same request can succeed later. A refusal for the limit of requests ends within a minute. */
export const isTemporary = (error: unknown): boolean =>
  !(error instanceof RequestRefusedError) || error.status === 429 || error.status >= 500;

const isProblem = (content: unknown): content is ProblemSummary =>
  typeof content === 'object' && content !== null && 'code' in content;

const apiTimeoutMs = 60_000;

const readJson = (answer: Response): Promise<unknown> => answer.json();

/**
 * Sends a request, and reads its answer; undefined for an answer without a body.
 * @param read reads the body of an answer that is not a refusal. Default: as JSON
 * @throws RequestRefusedError, ActionFailedError
 */
export async function send<Answer>(path: string, init: RequestInit, read = readJson): Promise<Answer> {
  const timeout = AbortSignal.timeout(apiTimeoutMs);
  const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
  const answer = await fetch(path, { ...init, signal }).catch(() => undefined);
  if (answer?.status === 204) return undefined as Answer;
  const content = answer && (await (answer.ok ? read : readJson)(answer).catch(() => undefined));
  if (answer?.ok && content !== undefined) return content as Answer;
  if (answer && isProblem(content)) throw new RequestRefusedError(answer.status, content);
  throw new ActionFailedError(
    timeout.aborted ? 'This site takes too long to answer' : 'This site does not answer',
    'Check that you are online, wait a little, and try again.',
  );
}

/**
 * Asks the API of this site: reads, or sends a body as JSON.
 * @throws RequestRefusedError, ActionFailedError
 */
export function askApi<Answer>(
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  if (body === undefined) return send(path, { headers });
  return send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  });
}
