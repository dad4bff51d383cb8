import { type ExecutionResult, GraphQLError } from 'graphql';
import {
  answerTooLarge,
  answerTooLargeCode,
  type JsonText,
  writeJson,
} from '../../../graphql/execution/answer-size.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';
import { type Exchange, internalError, isExpected, toProblem } from '../../../lib/http/exchange.ts';
import type { Logger } from '../../../lib/log/index.ts';

/** A result of graphql-js, or one whose data is JSON already. */
export type GraphResult = Omit<ExecutionResult, 'data'> & { data?: ExecutionResult['data'] | JsonText };

/** A written result: JSON of at most `answerBytesMax` bytes, and the status of a refusal. */
interface Written {
  json: string;
  /** Status of a result that was replaced because it is too large. Otherwise undefined: its form decides the status. */
  refusal?: number;
}

/**
 * Writes a result. Every error gets a stable code and the request's id. An error that the caller caused keeps its
 * message. A known problem gets the detail that REST shows. Any other error is logged once, here, and masked.
 */
export function writeResult(
  { data, errors, extensions }: GraphResult,
  requestId: string,
  log: Logger,
): Written {
  const shaped = errors?.map((error) => shape(error, requestId, log));
  // A response that is too large reports this once, even if several of its fields failed for it.
  const tooLarge = shaped?.find(({ extensions }) => extensions.code === answerTooLargeCode);
  const json = tooLarge
    ? undefined
    : writeJson({ errors: shaped?.map((error) => error.toJSON()), data, extensions }, answerBytesMax);
  if (json !== undefined) return { json };
  const message =
    tooLarge?.message ?? answerTooLarge(`The answer has more than ${answerBytesMax} bytes`).message;
  const error = new GraphQLError(message, { extensions: { code: answerTooLargeCode, requestId } });
  return { json: JSON.stringify({ errors: [error] }), refusal: 400 };
}

function shape(error: GraphQLError, requestId: string, log: Logger): GraphQLError {
  const original = findOriginalError(error);
  const { code } = error.extensions;
  const rebuilt = (message: string, extensions: Record<string, unknown>) =>
    new GraphQLError(message, {
      nodes: error.nodes ?? null,
      source: error.source ?? null,
      positions: error.positions ?? null,
      path: error.path ?? null,
      extensions: { ...extensions, requestId },
    });

  if (original instanceof GraphQLError) {
    const ownCode = typeof code === 'string' && /^[a-z_]+$/.test(code) ? code : 'invalid_query';
    return rebuilt(error.message, { code: ownCode });
  }
  const problem = toProblem(original);
  if (problem && problem.status < 500) {
    const { detail, errors } = problem;
    return rebuilt(detail, { code: problem.code, ...(errors && { errors }) });
  }
  // As in REST, an expected problem is not logged: any caller can cause a 503 of a feature that is not configured.
  if (!isExpected(original))
    log.error({ err: original, requestId, path: error.path }, 'a graph field failed');
  const { detail, code: maskedCode } = problem ?? internalError;
  return rebuilt(detail, { code: maskedCode });
}

/** Finds the error that a resolver threw. Returns a GraphQLError if the document itself is at fault. */
function findOriginalError(error: GraphQLError): Error {
  let origin: Error = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}

export const streamForm = 'text/event-stream';

/** Formats one value of a stream as a server-sent event. */
export const frame = (id: string, json: string) => `id: ${id}\nevent: next\ndata: ${json}\n\n`;

const completion = 'event: complete\ndata:\n\n';

export const complete = (res: Exchange['res']) => void res.end(completion);

/** Sends one result as a complete stream. */
export function sendOnce({ req, res }: Exchange, json: string): void {
  res.writeHead(200, { 'content-type': streamForm, 'cache-control': 'no-store' });
  res.end(req.method === 'HEAD' ? undefined : `event: next\ndata: ${json}\n\n${completion}`);
}
