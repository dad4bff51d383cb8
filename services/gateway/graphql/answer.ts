import { type ExecutionResult, GraphQLError, type GraphQLErrorExtensions } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import {
  answerTooLarge,
  answerTooLargeCode,
  type JsonText,
  writeJson,
} from '../../../graphql/execution/answer-size.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';
import {
  type Exchange,
  internalError,
  isExpected,
  sendError,
  toProblem,
} from '../../../lib/http/exchange.ts';
import { accepts } from '../../../lib/http/negotiation.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type LiveValue, sendOnce, sendStream, streamForm } from './streams.ts';

export interface ServerContext {
  exchange: Exchange;
}

/** A result of graphql-js, or one whose data is JSON already. */
type GraphResult = Omit<ExecutionResult, 'data'> & { data?: ExecutionResult['data'] | JsonText };

/**
 * Masks an error. An error that the caller caused keeps its message. A known problem gets the detail that REST shows.
 * The original error stays at the masked one, and is not sent.
 */
export function maskError(error: unknown): Error {
  const original = findOriginal(error);
  if (original instanceof GraphQLError) return error as GraphQLError;
  const problem = toProblem(original) ?? internalError;
  const errors = problem.status < 500 ? problem.errors : undefined;
  const located = error instanceof GraphQLError ? error : undefined;
  return new GraphQLError(problem.detail, {
    nodes: located?.nodes ?? null,
    source: located?.source ?? null,
    positions: located?.positions ?? null,
    path: located?.path ?? null,
    originalError: original instanceof Error ? original : new Error(String(original)),
    extensions: { code: problem.code, ...(errors && { errors }) },
  });
}

/** Wraps an error that is thrown to yoga, which takes any error with a field `errors` for several errors. */
export const wrapError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });

/** Finds the error that a resolver threw. Returns a GraphQLError if the document itself is at fault. */
function findOriginal(error: unknown): unknown {
  let original = error;
  while (original instanceof GraphQLError && original.originalError) original = original.originalError;
  return original;
}

/** A written result: JSON of at most `answerBytesMax` bytes, and the errors that it has. */
interface SerializedResult {
  json: string;
  errors: readonly GraphQLError[] | undefined;
  hasData: boolean;
}

/** Writes a result with masked errors, each with a code and the request's id. Unexpected ones are logged here, once. */
export function writeResult(
  { data, errors, extensions }: GraphResult,
  requestId: string,
  log: Logger,
): SerializedResult {
  const identified = errors?.map((error) => identify(error, requestId, log));
  // A response that is too large reports this once, even if several of its fields failed for it.
  const tooLarge = identified?.find(({ extensions }) => extensions.code === answerTooLargeCode);
  const json = tooLarge
    ? undefined
    : writeJson({ errors: identified?.map(toRow), data, extensions }, answerBytesMax);
  if (json !== undefined) return { json, errors: identified, hasData: data !== undefined };
  const message =
    tooLarge?.message ?? answerTooLarge(`The answer has more than ${answerBytesMax} bytes`).message;
  const error = new GraphQLError(message, { extensions: { code: answerTooLargeCode, requestId } });
  return { json: JSON.stringify({ errors: [error] }), errors: [error], hasData: false };
}

function identify(error: GraphQLError, requestId: string, log: Logger): GraphQLError {
  const { originalError, nodes = null, source = null, positions = null, path = null } = error;
  // As in REST, an expected problem is not logged: any caller can cause a 503 of a feature that is not configured.
  if (originalError && !(originalError instanceof GraphQLError) && !isCaused(originalError)) {
    log.error({ err: originalError, requestId, path }, 'a graph field failed');
  }
  const { code, ...others } = error.extensions;
  const knownCode = typeof code === 'string' && /^[a-z_]+$/.test(code) ? code : 'invalid_query';
  const extensions = { code: knownCode, ...others, requestId };
  return new GraphQLError(error.message, { nodes, source, positions, path, extensions });
}

/** `true` for an error that the caller caused, or that another part of the system reports by itself. */
function isCaused(original: Error): boolean {
  const problem = toProblem(original);
  return (problem !== undefined && problem.status < 500) || isExpected(original);
}

/** Returns an error as it is sent. `http` is for yoga, which takes the status of a response from it. */
function toRow(error: GraphQLError) {
  const { http: _, ...extensions } = error.extensions;
  return { ...error.toJSON(), extensions };
}

/** The status of a request that has no data: 400, or 200 if the response is `application/json`. */
const refusalStatus: GraphQLErrorExtensions = { http: { status: 400, spec: true } };

const withStatus = (error: GraphQLError): GraphQLError => {
  Object.assign(error.extensions, { ...refusalStatus, ...error.extensions });
  return error;
};

export function useAnswers(log: Logger): Plugin<object, ServerContext> {
  return {
    onResultProcess({ result, setResult, setResultProcessor, serverContext: { exchange } }) {
      if (isAsyncIterable(result)) {
        setResultProcessor((values, api) => sendStream(values as AsyncIterable<LiveValue>, api), streamForm);
        return;
      }
      if (Array.isArray(result) || exchange.res.destroyed) return;
      const failure = findFailure(result as ExecutionResult);
      if (failure !== undefined) {
        setResultProcessor((_, { Response }) => {
          // yoga adds nothing to a response that has ended.
          sendError(exchange, failure, log);
          return new Response(null, { status: exchange.res.statusCode });
        }, 'application/problem+json');
        return;
      }
      const { json, errors, hasData } = writeResult(result as GraphResult, exchange.requestId, log);
      if (accepts(exchange.req, 'application/json', 'application/graphql-response+json')) {
        const shown = hasData ? { data: result.data, errors } : { errors: errors?.map(withStatus) };
        setResult({ ...(shown as ExecutionResult), stringify: () => json } as typeof result);
      } else setResultProcessor((_, api) => sendOnce(json, api), streamForm);
    },
  };
}

/** Returns the error of a request that failed outside of its document: it is answered as in REST. */
function findFailure({ data, errors }: ExecutionResult): Error | undefined {
  const [error] = errors ?? [];
  if (data !== undefined || !error || error.path) return undefined;
  return error.originalError instanceof GraphQLError ? undefined : error.originalError;
}
