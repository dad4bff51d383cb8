import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, locatedError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphContext } from '../../../graphql/builder.ts';
import { findOperation, type Operation } from '../../../graphql/operations.ts';
import { schema } from '../../../graphql/schema.ts';
import type { SubscriptionSource } from '../../../graphql/subscriptions.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { requireAccepts } from '../../../lib/http/negotiation.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { AgentService } from '../agent/forward.ts';
import { catalogLog, eventLogs, type Feed, type Log, type LogItem, type LogPosition } from '../live/feed.ts';
import { dropStalled, formatStart, type Streams } from '../live/streams.ts';
import { maskError, type ServerContext, wrapError, writeResult } from './answer.ts';
import { findLiveRefusal, getFollowedField, resolveFollowed } from './followed.ts';
import { type Logged, logStreamFailure, openGroups } from './groups.ts';
import { completion, formatFrame, type LiveValue, streamForm } from './streams.ts';

type Variables = Record<string, unknown>;
type Values = AsyncIterable<LiveValue>;

interface SubscriptionOptions {
  feed: Feed;
  streams: Streams;
  agent: AgentService;
  choose: GraphContext['choose'];
  requireSource: GraphContext['requireSource'];
  db: GraphContext['db'];
  createContext(): GraphContext;
  log: Logger;
}

/**
 * Subscribes to logs and runs, as server-sent events in the distinct connections mode of graphql-sse. An item of a log
 * is rendered once for all subscribers with equal selections.
 */
export function useSubscriptions(options: SubscriptionOptions): Plugin<object, ServerContext> {
  const { feed, streams, agent, log, createContext } = options;
  const write = (result: ExecutionResult, requestId: string): string => {
    const errors = result.errors?.map((error) => maskError(error) as GraphQLError);
    return writeResult({ ...result, ...(errors && { errors }) }, requestId, log).json;
  };
  const groups = openGroups({ ...options, write: (result) => write(result, 'live') });

  /** Returns the values of a subscription, or its error, which the stream sends. @throws ProblemError 406, 429, 503 */
  async function subscribe(args: ExecutionArgs): Promise<Values | ExecutionResult> {
    const { exchange } = args.contextValue as ServerContext;
    requireAccepts(exchange.req, streamForm);
    const operation = findOperation(args.document, args.operationName);
    const variables = (args.variableValues ?? {}) as Variables;
    const refused = findLiveRefusal(operation, variables);
    if (refused) return { errors: [refused] };
    let start: () => Promise<Values>;
    try {
      const resumed = exchange.req.headers['last-event-id'];
      const followed = resolveFollowed(operation, variables, resumed, options);
      start =
        followed.kind === 'run'
          ? await prepareRun(exchange, operation, variables, followed)
          : prepareLog(exchange, operation, variables, followed);
    } catch (error) {
      // The error is located at its field, as in the execution of a query.
      const field = getFollowedField(operation);
      return { errors: [locatedError(error, field, [(field.alias ?? field.name).value])] };
    }
    return await start();
  }

  function prepareLog(
    exchange: Exchange,
    operation: Operation,
    variables: Variables,
    followed: Exclude<SubscriptionSource, { kind: 'run' }>,
  ): () => Promise<Values> {
    const logged = selectLog(followed);
    const { log, network } = logged;
    const from = followed.after === undefined ? undefined : parsePosition(log, followed.after);
    return async () => {
      const tail = await feed.tail(log, network);
      const position = from ?? tail;
      const closing = beginStream(exchange);
      if (!closing) return yieldNothing();
      const values = groups.read(operation, variables, logged, position, closing);
      return startStream(log.format(position), values, exchange, closing, options.log);
    };
  }

  async function prepareRun(
    exchange: Exchange,
    operation: Operation,
    variables: Variables,
    { id, after = '0' }: Extract<SubscriptionSource, { kind: 'run' }>,
  ): Promise<() => Promise<Values>> {
    if (!/^(0|[1-9]\d{0,5})$/.test(after)) throw invalidStepCursor();
    const answer = await agent.read(exchange, `/api/agent/runs/${id}/stream?from=${after}`);
    if (answer.statusCode !== 200) throw await readRefusal(answer);
    return async () => {
      const closing = beginStream(exchange);
      if (!closing) {
        answer.destroy();
        return yieldNothing();
      }
      closing.addEventListener('abort', () => answer.destroy());
      const values = readRun(exchange, operation, variables, answer, Number(after));
      return startStream(undefined, values, exchange, closing, log);
    };
  }

  async function* readRun(
    { res, requestId }: Exchange,
    { document }: Operation,
    variableValues: Variables,
    answer: IncomingMessage,
    after: number,
  ): AsyncGenerator<LiveValue> {
    let position = after;
    for await (const line of readLines(answer)) {
      position += 1;
      const rootValue = { cursor: String(position), step: JSON.parse(line) };
      const result = await execute({
        schema,
        document,
        variableValues,
        rootValue,
        contextValue: createContext(),
      });
      yield { frame: formatFrame(String(position), write(result, requestId)) };
    }
    // If the response was cut off, the stream is cut off too, and the caller resumes it.
    if (answer.complete) yield { frame: completion };
    else res.destroy();
  }

  /** Begins a stream. The signal aborts when it must end; undefined: it has ended. @throws ProblemError as `admit` */
  function beginStream(exchange: Exchange): AbortSignal | undefined {
    const { res } = exchange;
    const closing = new AbortController();
    if (res.destroyed || !streams.admit(exchange, () => closing.abort())) return undefined;
    dropStalled(res);
    res.once('close', () => closing.abort());
    return closing.signal;
  }

  return {
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn((args: ExecutionArgs) =>
        subscribe(args).catch((error: unknown) => {
          throw wrapError(error);
        }),
      );
    },
  };
}

async function* yieldNothing(): AsyncGenerator<LiveValue> {}

/** Reads lines that end in `\n`. `node:readline` would also split at U+2028 and U+2029, which JSON does not escape. */
async function* readLines(answer: IncomingMessage): AsyncGenerator<string> {
  let pending = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop()!;
    yield* lines;
  }
}

/** Sends the start of a stream and its values. A stream that fails is cut off, so that its reader resumes it. */
async function* startStream(
  from: string | undefined,
  values: Values,
  { res }: Exchange,
  closing: AbortSignal,
  log: Logger,
): AsyncGenerator<LiveValue> {
  yield { frame: formatStart(from) };
  try {
    yield* values;
  } catch (error) {
    if (closing.aborted) return;
    res.destroy();
    logStreamFailure(error, log);
  }
}

const refusalBytesMax = 64 * 1024;

/** Returns the refusal of the agent service as an error with its code and detail. */
async function readRefusal(answer: IncomingMessage): Promise<Error> {
  const length = Number(answer.headers['content-length'] ?? 0);
  if (length > refusalBytesMax) return new Error('the agent service refuses at length');
  const { code, detail } = JSON.parse(await text(answer));
  return new GraphQLError(String(detail), { extensions: { code: String(code) } });
}

function invalidStepCursor(): ProblemError {
  const message = 'is not a cursor of this subscription; leave it out to begin with the first step';
  return problem('bad_cursor', `after ${message}.`, { errors: [{ path: 'after', message }] });
}

function selectLog(followed: Exclude<SubscriptionSource, { kind: 'run' }>): Logged {
  const { network } = followed;
  const log = followed.kind === 'catalog' ? catalogLog : eventLogs[followed.source];
  return {
    log: log as unknown as Log<LogItem>,
    network,
    matches: followed.matches as unknown as Logged['matches'],
    toValue: (item) =>
      followed.kind === 'catalog'
        ? { change: item, includesHidden: followed.includesHidden }
        : { event: item },
  };
}

/** Parses a cursor of a log. @throws ProblemError `bad_cursor` */
function parsePosition(log: Log<LogItem>, cursor: string): LogPosition {
  const position = log.parse(cursor);
  if (position) return position;
  const message = 'is not a cursor of this subscription; leave it out to begin with what comes next';
  throw problem('bad_cursor', `after ${message}.`, { errors: [{ path: 'after', message }] });
}
