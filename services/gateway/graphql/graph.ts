import type { Network } from '@adaptor-marketplace/adaptor';
import type { Registry } from '@prometheus-io/client';
import { execute, type FieldNode, GraphQLError, getArgumentValues } from 'graphql';
import Negotiator from 'negotiator';
import type { QueryConfig, QueryResult } from 'pg';
import { z } from 'zod';
import type { Database } from '../../../db/client.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import { executePlan } from '../../../graphql/execution/answer.ts';
import { JsonText } from '../../../graphql/execution/answer-size.ts';
import type { CoercedVariables } from '../../../graphql/execution/conditions.ts';
import { createManifests } from '../../../graphql/manifests.ts';
import { atLeastCheckpoint } from '../../../graphql/meta.ts';
import { coerceVariables, costMax, statementsMax, tooLarge } from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import type { NetworkPackages, SourceName } from '../../../lib/config/networks.ts';
import { problem } from '../../../lib/errors/index.ts';
import { answerBytesMax } from '../../../lib/http/bounded-page.ts';
import { type Exchange, type Step, sendError, splitUrl } from '../../../lib/http/exchange.ts';
import { prefersHtml, requireAccepts } from '../../../lib/http/negotiation.ts';
import { findFault, invalidBody, parseQuery, readJsonObject } from '../../../lib/http/parse.ts';
import { refuseMethod } from '../../../lib/http/router.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { AgentService } from '../agent/forward.ts';
import type { Feed } from '../live/feed.ts';
import type { Streams } from '../live/streams.ts';
import type { IndexWatch } from '../live/watch.ts';
import { answerPage, type Site } from '../pages/site.ts';
import { requirePackage } from '../reads/read.ts';
import { type GraphResult, sendOnce, streamForm, writeResult } from './answer.ts';
import { type Operation, openDocuments } from './documents.ts';
import { closedExplorer, explorerPage } from './graphiql.ts';
import { graphShare } from './share.ts';
import { liveGraph } from './subscriptions.ts';

interface GraphOptions {
  db: Database;
  choose: GraphContext['choose'];
  networks: readonly NetworkPackages[];
  feed: Feed;
  watch: IndexWatch;
  streams: Streams;
  agent: AgentService;
  site: Site;
  /** File of the only documents that may be executed; undefined: any document. */
  trustedDocuments: string | undefined;
  log: Logger;
  metrics: Registry;
}

/** Time limit of a query, in milliseconds. It is above the time limit of a single statement. */
const timeoutMs = 15_000;

/** Media types of a response. With the second, a refusal has the status 400. The third is for subscriptions. */
const forms = ['application/json', 'application/graphql-response+json', streamForm] as const;
type Form = (typeof forms)[number];

/** `/graphql`: queries by GET and POST for programs, GraphiQL for browsers. */
export function graph({
  db,
  choose,
  networks,
  feed,
  watch,
  streams,
  agent,
  site,
  trustedDocuments,
  log,
  metrics,
}: GraphOptions): Step {
  const requireSource = sourceRequirement(networks);
  const share = graphShare(db.pool, metrics);
  const documents = openDocuments(trustedDocuments);
  const explorer = () => (documents.areTrusted ? closedExplorer() : explorerPage(site));
  const requests = requestForms(documents);

  async function answer(exchange: Exchange, search: string): Promise<void> {
    const { req, res } = exchange;
    const read = req.method === 'GET' || req.method === 'HEAD';
    res.setHeader('vary', 'accept');
    if (read && prefersHtml(req)) return await answerPage(exchange, {}, site, explorer);
    if (!read && req.method !== 'POST') return refuseMethod(exchange, 'GET, HEAD, POST, OPTIONS');
    const form = negotiateForm(exchange);
    const asked: GraphRequest = read
      ? parseQuery(requests.parameters, search)
      : await requestOfBody(exchange, requests.body);
    const operation = documents.operation(asked);
    if ('errors' in operation) {
      const { errors, kind } = operation;
      return send(exchange, form, { errors }, read && kind === 'mutation' ? 405 : undefined);
    }
    if (operation.node.operation === 'subscription') {
      requireAccepts(req, streamForm);
      return await live.follow(exchange, operation, asked.variables ?? {});
    }
    const given = asked.variables ?? {};
    const variables = coerceVariables(schema, operation.node, given);
    if (variables instanceof GraphQLError) return send(exchange, form, { errors: [variables] });
    const cost = weigh(operation, given);
    if (cost instanceof GraphQLError)
      return send(exchange, form, { errors: [cost] }, cost.extensions.code ? 400 : undefined);
    const result = await run(exchange, operation, given, variables);
    // The caller has disconnected, which stopped the query and made its fields fail.
    if (exchange.res.destroyed) return;
    send(exchange, form, { ...result, extensions: { cost } });
  }

  /** Runs an operation until it has a result, its time is up, or its caller disconnects. */
  async function run({ res }: Exchange, operation: Operation, given: Variables, variables: CoercedVariables) {
    const stop = new AbortController();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(timeout);
      stop.abort();
    }, timeoutMs);
    const leave = () => stop.abort();
    res.once('close', leave);
    try {
      if (operation.mayWait) {
        for (const wait of operation.waits(variables)) {
          const failed = await waitFor(wait, variables, stop.signal);
          if (failed) return { errors: [failed] };
        }
      }
      const result = share.run((db) => executeOn(db, operation, given, variables), stop.signal);
      return await Promise.race([result, late]);
    } finally {
      clearTimeout(timer);
      res.off('close', leave);
    }
  }

  /**
   * Executes an operation by its plan, with data as JSON text. If there is no plan, or it does not suffice, graphql-js
   * executes the operation.
   */
  async function executeOn(
    db: Queryable,
    operation: Operation,
    variableValues: Variables,
    variables: CoercedVariables,
  ) {
    const reads = remembered(db);
    const plan = operation.plan();
    if (plan) {
      const json = await executePlan(plan, createContext(reads.db), variables, answerBytesMax);
      if (json !== undefined) return { data: new JsonText(json) };
    }
    const contextValue = createContext(reads.again());
    return execute({ schema, document: operation.document, variableValues, contextValue });
  }

  /**
   * Waits for the checkpoint that a field `_meta` names. Returns an error at this field if its arguments are wrong or
   * the wait fails.
   */
  async function waitFor(
    field: FieldNode,
    variables: CoercedVariables,
    signal: AbortSignal,
  ): Promise<GraphQLError | undefined> {
    const meta = schema.getQueryType()!.getFields()._meta!;
    try {
      const args = getArgumentValues(meta, field, variables);
      const checkpoint = args[atLeastCheckpoint];
      if (typeof checkpoint !== 'number') return undefined;
      const network = choose((args.chain ?? undefined) as Network | undefined);
      const sources = (args.sources ?? undefined) as SourceName[] | undefined;
      for (const source of sources ?? []) requireSource(network, source);
      await watch.waitFor({ network, checkpoint, sources }, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const path = [(field.alias ?? field.name).value];
      return new GraphQLError(error.message, { nodes: field, originalError: error, path });
    }
  }

  const live = liveGraph({
    ...{ feed, streams, agent, choose, requireSource, log },
    db: share.live,
    createContext: () => createContext(share.live),
  });

  const createContext = (db: Queryable): GraphContext => ({
    db,
    manifests: createManifests(db),
    choose,
    requireSource,
    indexed: watch.indexed,
  });

  /** @param refusal status of the response, which overrides the one of the form */
  function send(exchange: Exchange, form: Form, result: GraphResult, refusal?: number) {
    const { req, res, requestId } = exchange;
    const written = writeResult(result, requestId, log);
    if (form === streamForm) return sendOnce(exchange, written.json);
    const own = 'data' in result || form === 'application/json' ? 200 : 400;
    const status = refusal ?? written.refusal ?? own;
    const bytes = Buffer.byteLength(written.json);
    res.writeHead(status, {
      'content-type': `${form}; charset=utf-8`,
      'content-length': bytes,
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'POST' }),
    });
    // Text leaves with the headers in one write. Most of it is ASCII: as latin1, it needs no buffer space for longer
    // characters.
    const encoding = bytes === written.json.length ? 'latin1' : 'utf8';
    res.end(req.method === 'HEAD' ? undefined : written.json, encoding);
  }

  return (exchange) => {
    const { path, search } = splitUrl(exchange.req.url ?? '');
    if (path !== '/graphql') return false;
    exchange.route = '/graphql';
    answer(exchange, search).catch((error: unknown) => sendError(exchange, error, log));
    return true;
  };
}

/** @throws ProblemError 406 */
function negotiateForm({ req }: Exchange): Form {
  const { accept } = req.headers;
  if (accept === undefined || accept === '*/*' || accept === forms[0]) return forms[0];
  requireAccepts(req, ...forms);
  const [best] = new Negotiator(req).mediaTypes([...forms]);
  return forms.find((form) => form === best) ?? forms[0];
}

/**
 * Returns the cost of a query and its limits, as the response shows them, or the error that refuses the query. It reads
 * nothing.
 */
function weigh({ cost, statements: { size: reads } }: Operation, variables: Variables) {
  const fields = cost(variables);
  if (fields instanceof GraphQLError) return fields;
  if (fields > costMax) {
    return tooLarge(
      `The query may ask for ${fields} fields; ${costMax} are allowed. Ask for fewer per page.`,
    );
  }
  if (reads > statementsMax) {
    return tooLarge(`The query causes ${reads} reads; ${statementsMax} are allowed. Send several queries.`);
  }
  return { fields, fieldsMax: costMax, reads, readsMax: statementsMax };
}

/** Refuses reads of a source that the network does not index. */
export function sourceRequirement(networks: readonly NetworkPackages[]): GraphContext['requireSource'] {
  return (network, source) => {
    const settings = networks.find((candidate) => candidate.network === network);
    if (settings && source !== 'registry') requirePackage(settings, `${source}PackageId`);
  };
}

const timeout = problem('timeout', `The query took longer than ${timeoutMs / 1000} s. Request less.`);

type Variables = Record<string, unknown>;

const ofBody = {
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
};

const objectParameter = z
  .string()
  .transform(parseObject)
  .pipe(z.record(z.string(), z.unknown(), 'expected a JSON object').optional())
  .optional();

const ofSearch = {
  operationName: z.string().optional(),
  variables: objectParameter,
  extensions: objectParameter,
};

/** Schemas of a GraphQL request: the body of a POST, and the parameters of a GET. */
function requestForms({ areTrusted }: { areTrusted: boolean }) {
  // With trusted documents, a request can name a `documentId` instead.
  const query: z.ZodType<string | null | undefined> = areTrusted ? z.string().nullish() : z.string();
  return {
    body: z.object({ query, documentId: z.string().nullish(), ...ofBody }),
    parameters: z.object({ query, documentId: z.string().optional(), ...ofSearch }),
  };
}

type GraphRequest = z.infer<ReturnType<typeof requestForms>['body']>;

const bodyBytesMax = 100_000;

/**
 * Reads the request from the body of a POST.
 * @throws ProblemError 400, 413 or 415
 */
async function requestOfBody({ req }: Exchange, schema: z.ZodType<GraphRequest>): Promise<GraphRequest> {
  const parsed = schema.safeParse(await readJsonObject(req, bodyBytesMax));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  throw invalidBody(issues.map(({ path, message }) => ({ path: `body.${path.join('.')}`, message })));
}

/**
 * Parses a parameter as JSON. Returns undefined for an empty one, and null for an invalid one. The schema refuses null,
 * because it is not an object.
 */
function parseObject(text: string): unknown {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return findFault(value, 'query') === undefined ? value : null;
  } catch {
    return null;
  }
}

interface Read {
  statement: QueryConfig;
  result: Promise<QueryResult>;
}

/** Reads of one execution of a query. */
interface Reads {
  db: Queryable;
  /**
   * Database for a second execution of the same query. It returns the results of the first one's reads, failed ones
   * included, and reads only the rest.
   */
  again(): Queryable;
}

export function remembered(db: Queryable): Reads {
  const reads: Read[] = [];
  const read = (statement: QueryConfig) => {
    const result = db.query(statement);
    reads.push({ statement, result });
    return result;
  };
  return {
    db: { query: read as Queryable['query'] },
    again() {
      const known = new Map(reads.map(({ statement, result }) => [buildStatementKey(statement), result]));
      const query = (statement: QueryConfig) =>
        known.get(buildStatementKey(statement)) ?? db.query(statement);
      return { query: query as Queryable['query'] };
    },
  };
}

const buildStatementKey = ({ text, values }: QueryConfig) => JSON.stringify([text, values]);
