import { NodeError } from '@adaptor-marketplace/adaptor/chain';
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { answerTooLarge, answerTooLargeCode, writeJson } from '../../../graphql/answer-size.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';
import { internalError, problemOf } from '../../../lib/http/problem.ts';
import type { Logger } from '../../../lib/log/index.ts';

export interface GraphServerContext {
  requestId: string;
}

/**
 * Gives every error a stable code and the request's id, and writes the answer, which ends at its bytes. What the caller
 * caused keeps its words; what we know as a problem gets those of REST; anything else is logged once, here, and masked.
 */
export function useAnswer(log: Logger): Plugin<object, GraphServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return;
      const { requestId } = serverContext;
      const shaped = result.errors?.map((error) => shape(error, requestId, log));
      // One answer too large says so once, however many of its fields found out.
      const tooLarge = shaped?.find(({ extensions }) => extensions.code === answerTooLargeCode);
      const json = tooLarge ? undefined : writeAnswer(result.data, shaped);
      if (json !== undefined) {
        setResult({ ...result, ...(shaped && { errors: shaped }), stringify: () => json });
        return;
      }
      const message =
        tooLarge?.message ?? answerTooLarge(`The answer has more than ${answerBytesMax} bytes`).message;
      const extensions = { code: answerTooLargeCode, requestId, http: { status: 400 } };
      setResult({ errors: [new GraphQLError(message, { extensions })] });
    },
  };
}

/** The answer's JSON; undefined where it has more bytes than an answer may. */
function writeAnswer(data: unknown, errors: readonly GraphQLError[] | undefined): string | undefined {
  const told = errors?.map((error) => {
    // For the status alone.
    const { http: _http, ...extensions } = error.extensions;
    return { ...error.toJSON(), extensions };
  });
  return writeJson({ errors: told, data }, answerBytesMax);
}

function shape(error: GraphQLError, requestId: string, log: Logger): GraphQLError {
  const original = originOf(error);
  const { http, code } = error.extensions;
  const rebuilt = (message: string, extensions: Record<string, unknown>) =>
    new GraphQLError(message, {
      nodes: error.nodes ?? null,
      source: error.source ?? null,
      positions: error.positions ?? null,
      path: error.path ?? null,
      extensions: { ...extensions, requestId, ...(http === undefined ? {} : { http }) },
    });

  if (original instanceof GraphQLError) {
    const ownCode = typeof code === 'string' && /^[a-z_]+$/.test(code) ? code : 'invalid_query';
    return rebuilt(error.message, { code: ownCode });
  }
  const problem = problemOf(original);
  if (problem && problem.status < 500) {
    const { detail, errors } = problem;
    return rebuilt(detail, { code: problem.code, ...(errors && { errors }) });
  }
  // A ProblemError is an answer, as in REST: any caller can bring about a 503 of what is not configured.
  if (!(original instanceof ProblemError || original instanceof NodeError)) {
    log.error({ err: original, requestId, path: error.path }, 'a graph field failed');
  }
  const { detail, code: maskedCode } = problem ?? internalError;
  return rebuilt(detail, { code: maskedCode });
}

/** What a resolver threw; a GraphQLError where the document itself is at fault. */
function originOf(error: GraphQLError): Error {
  let origin: Error = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}
