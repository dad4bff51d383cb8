import type { Registry } from '@prometheus-io/client';
import { GraphQLError, parse } from 'graphql';
import { createYoga, type Plugin, useExecutionCancellation } from 'graphql-yoga';
import { z } from 'zod';
import type { Database } from '../../../db/client.ts';
import { answerTooLarge, answerTooLargeCode, writeJson } from '../../../graphql/answer-size.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import { manifestsOf } from '../../../graphql/manifests.ts';
import {
  costMax,
  costOf,
  limitCounts,
  limitDepth,
  queryLimits,
  statementsMax,
  statementsOf,
} from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { problem } from '../../../lib/errors/index.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';
import {
  type Exchange,
  internalError,
  isExpected,
  problemOf,
  type Step,
  sendError,
  splitUrl,
} from '../../../lib/http/exchange.ts';
import { prefersHtml, requireAccepts } from '../../../lib/http/negotiation.ts';
import { faultOf, invalidBody, parseQuery, readJsonObject } from '../../../lib/http/parse.ts';
import { refuseMethod } from '../../../lib/http/router.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { requirePackage } from '../reads/read.ts';
import { graphiql } from './graphiql.ts';
import { graphShare } from './share.ts';

interface GraphOptions {
  db: Database;
  choose: GraphContext['choose'];
  networks: readonly NetworkPackages[];
  log: Logger;
  metrics: Registry;
}

type ServerContext = GraphServerContext & Pick<GraphContext, 'db'>;

/** Above the time that a single statement is given. */
const timeoutMs = 15_000;

/** `/graphql`: queries by GET and POST for programs, GraphiQL for browsers. */
export function graph({ db, choose, networks, log, metrics }: GraphOptions): Step {
  const requireSource = sourceRequirement(networks);
  const share = graphShare(db.pool, metrics);
  const yoga = createYoga<ServerContext, GraphContext>({
    schema,
    context: ({ db }) => ({ db, manifests: manifestsOf(db), choose, requireSource }),
    plugins: [useLimits(), useExecutionCancellation(), useAnswer(log)],
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
  });

  async function answer(exchange: Exchange, search: string): Promise<void> {
    const { req, res } = exchange;
    const read = req.method === 'GET' || req.method === 'HEAD';
    res.setHeader('vary', 'accept');
    if (read && prefersHtml(req)) return await graphiql(exchange);
    if (!read && req.method !== 'POST') return refuseMethod(exchange, 'GET, HEAD, POST, OPTIONS');
    requireAccepts(req, 'application/json', 'application/graphql-response+json');
    const response = await execute(exchange, read ? requestOfSearch(search) : await requestOfBody(exchange));
    const bytes = Buffer.from(await response.arrayBuffer());
    res.writeHead(response.status, {
      'content-type': response.headers.get('content-type') ?? 'application/json',
      'content-length': bytes.byteLength,
      'cache-control': 'no-store',
      ...(response.status === 405 && { allow: response.headers.get('allow') ?? 'POST' }),
    });
    res.end(req.method === 'HEAD' ? undefined : bytes);
  }

  /** Runs the query until its answer, its time or its caller's patience ends. */
  async function execute({ req, res, requestId }: Exchange, asked: GraphRequest) {
    const stop = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(timeout);
      stop.abort();
    }, timeoutMs);
    res.once('close', () => stop.abort());
    const accept = req.headers.accept ?? '*/*';
    const headers = { accept, 'content-type': 'application/json' };
    const [search, request] =
      req.method === 'POST'
        ? ['', { method: 'POST', headers, body: JSON.stringify(asked) }]
        : [`?${searchOf(asked)}`, { method: 'GET', headers: { accept } }];
    const url = `http://localhost/graphql${search}`;
    try {
      const response = share.run(
        async (db) => yoga.fetch(url, { ...request, signal: stop.signal }, { requestId, db }),
        stop.signal,
      );
      return await Promise.race([response, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return (exchange) => {
    const { path, search } = splitUrl(exchange.req.url ?? '');
    if (path !== '/graphql') return false;
    exchange.route = '/graphql';
    answer(exchange, search).catch((error: unknown) => sendError(exchange, error, log));
    return true;
  };
}

function sourceRequirement(networks: readonly NetworkPackages[]): GraphContext['requireSource'] {
  return (network, source) => {
    const settings = networks.find((candidate) => candidate.network === network);
    if (settings && source !== 'registry') requirePackage(settings, `${source}PackageId`);
  };
}

const timeout = problem('timeout', `The query took longer than ${timeoutMs / 1000} s. Request less.`);

/** What a caller asks of the graph, as the body of a POST has it. */
const graphRequest = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});
type GraphRequest = z.infer<typeof graphRequest>;

const objectParameter = z
  .string()
  .transform(parseObject)
  .pipe(z.record(z.string(), z.unknown(), 'expected a JSON object').optional())
  .optional();

const graphParameters = z.object({
  query: z.string(),
  operationName: z.string().optional(),
  variables: objectParameter,
  extensions: objectParameter,
});

const bodyBytesMax = 100_000;

/** The question of a GET. @throws ProblemError 400 with one row per wrong parameter */
function requestOfSearch(search: string): GraphRequest {
  return parseQuery(graphParameters, search);
}

/** The query string of a question. */
function searchOf({ query, operationName, variables, extensions }: GraphRequest): URLSearchParams {
  return new URLSearchParams({
    query,
    ...(operationName != null && { operationName }),
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(extensions && { extensions: JSON.stringify(extensions) }),
  });
}

/** The question of a POST. @throws ProblemError 400, 413 or 415 */
async function requestOfBody({ req }: Exchange): Promise<GraphRequest> {
  const parsed = graphRequest.safeParse(await readJsonObject(req, bodyBytesMax));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  throw invalidBody(issues.map(({ path, message }) => ({ path: `body.${path.join('.')}`, message })));
}

/** A parameter's JSON; nothing for an empty one, and null, which is not an object, for what cannot be used. */
function parseObject(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return faultOf(value, 'query') === undefined ? value : null;
  } catch {
    return null;
  }
}

/** Bounds on a stranger's document: its size before it is read, its shape before it runs, its reads and its answer's size. */
function useLimits(): Plugin {
  const rules = [limitDepth(queryLimits.depth), limitCounts(queryLimits)];
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parse(source, { ...options, maxTokens: queryLimits.tokens }));
    },
    onValidate({ addValidationRule }) {
      for (const rule of rules) addValidationRule(rule);
    },
    onExecute({ args, setResultAndStopExecution }) {
      const { schema, document, operationName, variableValues } = args;
      const refuse = (message: string) => {
        const extensions = { code: 'query_too_large', http: { status: 400 } };
        setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] });
      };
      const cost = costOf(schema, document, operationName, variableValues ?? {});
      const statements = statementsOf(schema, document, operationName);
      if (cost > costMax) {
        refuse(`The query may ask for ${cost} fields; ${costMax} are allowed. Ask for fewer per page.`);
      } else if (statements > statementsMax) {
        refuse(`The query causes ${statements} reads; ${statementsMax} are allowed. Send several queries.`);
      }
    },
  };
}

interface GraphServerContext {
  requestId: string;
}

/**
 * Gives every error a stable code and the request's id, and writes the answer, which ends at its bytes. What the caller
 * caused keeps its words; what we know as a problem gets those of REST; anything else is logged once, here, and masked.
 */
function useAnswer(log: Logger): Plugin<object, GraphServerContext> {
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
  // As in REST: any caller can bring about a 503 of what is not configured.
  if (!isExpected(original))
    log.error({ err: original, requestId, path: error.path }, 'a graph field failed');
  const { detail, code: maskedCode } = problem ?? internalError;
  return rebuilt(detail, { code: maskedCode });
}

/** What a resolver threw; a GraphQLError where the document itself is at fault. */
function originOf(error: GraphQLError): Error {
  let origin: Error = error;
  while (origin instanceof GraphQLError && origin.originalError) origin = origin.originalError;
  return origin;
}
