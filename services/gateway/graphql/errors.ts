import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ProblemError } from '../../../lib/errors/index.ts';
import { internalError } from '../../../lib/http/problem.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { knownProblem } from '../respond/problem.ts';

export interface GraphServerContext {
  requestId: string;
}

/**
 * Gives every error a stable code and the request's id. What the caller caused keeps its words; what we know as
 * a problem gets those of REST; anything else is logged once, here, and masked.
 */
export function useErrorShape(log: Logger): Plugin<object, GraphServerContext> {
  return {
    onResultProcess({ result, setResult, serverContext }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors) return;
      const { requestId } = serverContext;
      setResult({ ...result, errors: result.errors.map((error) => shape(error, requestId, log)) });
    },
  };
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
  const problem = knownProblem(original);
  if (problem && problem.status < 500) {
    const { detail, errors } = problem;
    return rebuilt(detail, { code: problem.code, ...(errors && { errors }) });
  }
  // A ProblemError is an answer, as in REST: any caller can bring about a 503 of what is not configured.
  if (!(original instanceof ProblemError)) {
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
