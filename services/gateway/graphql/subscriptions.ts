import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import { type ExecutionResult, execute, GraphQLError, locatedError } from 'graphql';
import { isBefore } from '../../../db/queries/registry-events.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import { schema } from '../../../graphql/schema.ts';
import type { Followed } from '../../../graphql/subscriptions.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { isDatabaseAway } from '../../../lib/errors/database-away.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { AgentService } from '../agent/forward.ts';
import { catalogLog, eventLogs, type Feed, type Item, type Log, type Place } from '../live/feed.ts';
import { drained, type Streams, waitingBytesMax } from '../live/streams.ts';
import { complete, frame, sendOnce, writeResult } from './answer.ts';
import type { Operation } from './documents.ts';
import { cursorVariable, followedField, liveRefusal, resolveFollowed } from './followed.ts';

type Variables = Record<string, unknown>;

interface LiveGraphOptions {
  feed: Feed;
  streams: Streams;
  agent: AgentService;
  choose: GraphContext['choose'];
  requireSource: GraphContext['requireSource'];
  db: GraphContext['db'];
  createContext(): GraphContext;
  log: Logger;
}

/** Subscriptions, as streams of server-sent events in the distinct connections mode of graphql-sse. */
export function liveGraph(options: LiveGraphOptions) {
  const { feed, streams, agent, log, createContext, db } = options;
  const groups = liveGroups({
    feed,
    db,
    createContext,
    write: (result) => writeResult(result, 'live', log).json,
  });

  /**
   * Sends the values of a subscription. Its errors are sent in the stream, as in graphql-sse.
   * @throws ProblemError 429 or 503 `too_many_streams`
   */
  async function follow(exchange: Exchange, operation: Operation, variables: Variables): Promise<void> {
    let followed: Followed;
    const refused = liveRefusal(operation, variables);
    if (refused) return sendRefusal(exchange, refused);
    try {
      followed = resolveFollowed(operation, variables, exchange.req.headers['last-event-id'], options);
    } catch (error) {
      return refuse(exchange, operation, error);
    }
    if (followed.kind === 'run') return await followRun(exchange, operation, variables, followed);
    const { res } = exchange;
    const logged = toLogged(followed);
    let from: ReturnType<typeof parseCursor> | undefined;
    try {
      from = followed.after === undefined ? undefined : parseCursor(logged.log, followed.after);
    } catch (error) {
      return refuse(exchange, operation, error);
    }
    const tail = await feed.tail(logged.log, logged.network);
    const place = from ?? tail;
    if (res.destroyed || !streams.open(exchange, logged.log.format(place))) return;
    await groups.send(res, operation, variables, logged, place).catch(() => res.destroy());
  }

  async function followRun(
    exchange: Exchange,
    operation: Operation,
    variables: Variables,
    { id, after = '0' }: Extract<Followed, { kind: 'run' }>,
  ): Promise<void> {
    let answer: IncomingMessage;
    try {
      if (!/^(0|[1-9]\d{0,5})$/.test(after)) throw badStep();
      answer = await agent.read(exchange, `/api/agent/runs/${id}/stream?from=${after}`);
      if (answer.statusCode !== 200) throw await readRefusal(answer);
    } catch (error) {
      return refuse(exchange, operation, error);
    }
    const { res, requestId } = exchange;
    if (!streams.open(exchange)) return void answer.destroy();
    const asked = { schema, document: operation.document, variableValues: variables };
    let position = Number(after);
    try {
      for await (const line of createInterface({ input: answer })) {
        position += 1;
        const rootValue = { cursor: String(position), step: JSON.parse(line) };
        const result = await execute({ ...asked, rootValue, contextValue: createContext() });
        if (res.destroyed) return;
        res.write(frame(String(position), writeResult(result, requestId, log).json));
        if (res.writableNeedDrain) await drained(res);
      }
      // If the response was cut off, the stream is cut off too, and the caller resumes it.
      if (answer.complete) complete(res);
      else res.destroy();
    } catch {
      res.destroy();
    }
  }

  /** Sends the error of a subscription in its stream, located at its field as in the execution of a query. */
  function refuse(exchange: Exchange, operation: Operation, error: unknown): void {
    const field = followedField(operation);
    sendRefusal(exchange, locatedError(error, field, [(field.alias ?? field.name).value]));
  }

  function sendRefusal(exchange: Exchange, error: GraphQLError): void {
    sendOnce(exchange, writeResult({ errors: [error] }, exchange.requestId, log).json);
  }

  return { follow };
}

const refusalBytesMax = 64 * 1024;

/** Returns the refusal of the agent service as an error with its code and detail. */
async function readRefusal(answer: IncomingMessage): Promise<Error> {
  const length = Number(answer.headers['content-length'] ?? 0);
  if (length > refusalBytesMax) return new Error('the agent service refuses at length');
  const { code, detail } = JSON.parse(await text(answer));
  return new GraphQLError(String(detail), { extensions: { code: String(code) } });
}

function badStep(): ProblemError {
  const message = 'is not a cursor of this subscription; leave it out to begin with the first step';
  return problem('bad_cursor', `after ${message}.`, { errors: [{ path: 'after', message }] });
}

/** Items that are read at a time for a reader that is behind. */
const pageMax = 50;
/** Most batches that wait to be rendered for a group. Beyond it, the group reads the items again that it has missed. */
const waitingBatchesMax = 4;
/** Most selections that are rendered at once, and most readers that catch up at once. */
const [rendersMax, catchUpsMax] = [8, 4];

/** A subscriber in a group. It has everything up to `position`. */
interface Member {
  res: ServerResponse;
  position: Place;
  /** Called when the member receives no further items from the group. */
  part(): void;
}

interface Group {
  /** Adds the member, which then receives each new item. Returns `false` without adding it if it has missed items. */
  attach(member: Member): boolean;
  detach(member: Member): void;
  render(item: Item): Promise<Buffer>;
  /** Reads a page of items after a position. `upTo` is the position up to which nothing is then missing. */
  readPage(after: Place): Promise<{ items: Item[]; upTo: Place }>;
}

interface LiveOptions {
  feed: Feed;
  db: GraphContext['db'];
  createContext(): GraphContext;
  write(result: ExecutionResult): string;
}

/**
 * Opens subscriptions to logs. Subscribers with equal selections form a group, for which each item is rendered once.
 */
function liveGroups({ feed, db, createContext, write }: LiveOptions) {
  const groups = new WeakMap<Operation, Map<string, Group>>();
  const renders = createSemaphore(rendersMax);
  const catchUps = createSemaphore(catchUpsMax);
  const never = new AbortController().signal;
  /** Contexts by item. All groups share them, so that data of an item is loaded once. */
  const contexts = new WeakMap<Item, GraphContext>();
  let rendered = 0;

  function contextFor(item: Item): GraphContext {
    const known = contexts.get(item);
    if (known) return known;
    const context = createContext();
    contexts.set(item, context);
    return context;
  }

  function getOrCreateGroup(
    operation: Operation,
    variables: Variables,
    followed: Logged,
    tail: Place,
  ): Group {
    const ofOperation = groups.get(operation) ?? new Map<string, Group>();
    groups.set(operation, ofOperation);
    const cursor = cursorVariable(operation);
    const rest = Object.entries(variables).filter(([name]) => name !== cursor);
    const key = JSON.stringify(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = ofOperation.get(key);
    if (known) return known;
    const group = openGroup(operation, variables, followed, tail, () => ofOperation.delete(key));
    ofOperation.set(key, group);
    return group;
  }

  function openGroup(
    { document }: Operation,
    variableValues: Variables,
    { log, network, matches, toValue }: Logged,
    tail: Place,
    onEmpty: () => void,
  ): Group {
    const members = new Set<Member>();
    let position = tail;
    let waiting: (readonly Item[])[] = [];
    let isJoined = false;
    let wake = (): void => undefined;
    const reader = {
      give(items: readonly Item[]) {
        if (waiting.length < waitingBatchesMax) waiting.push(items);
        else leave();
        wake();
      },
    };

    function leave(): void {
      feed.leave(log, network, reader);
      isJoined = false;
      waiting = [];
    }

    function render(item: Item): Promise<Buffer> {
      return renders.run(async () => {
        // Lets the event loop serve connections in between, even if there are many selections.
        if (++rendered % rendersMax === 0) await nextTurn();
        const cursor = log.format(item.position);
        const rootValue = { cursor, network, ...toValue(item) };
        const result = await execute({
          schema,
          document,
          variableValues,
          rootValue,
          contextValue: contextFor(item),
        });
        // The reader must resume before this item, not after a value that could not be read.
        const away = result.errors?.find(isDatabaseAway);
        if (away) throw away;
        return Buffer.from(frame(cursor, write(result)));
      }, never);
    }

    async function deliver(items: readonly Item[]): Promise<void> {
      for (const item of items) {
        if (!isBefore(position, item.position)) continue;
        const value = matches(item) && members.size > 0 ? await render(item) : undefined;
        position = item.position;
        if (!value) continue;
        for (const member of members) {
          if (!isBefore(member.position, item.position)) continue;
          if (member.res.writableLength > waitingBytesMax) detach(member);
          else {
            member.position = item.position;
            member.res.write(value);
          }
        }
      }
    }

    async function readPage(after: Place): Promise<{ items: Item[]; upTo: Place }> {
      // The tail is read before the page. Otherwise, it could include an item that the page lacks.
      const upTo = await feed.tail(log, network);
      const items = await log.read(db, network, after, pageMax);
      return { items, upTo: items.at(-1)?.position ?? upTo };
    }

    /** Delivers items as they arrive. Items that arrived faster than they were rendered are read again. */
    async function run(): Promise<void> {
      while (members.size > 0) {
        isJoined ||= feed.join(log, network, position, reader);
        if (!isJoined) {
          const page = await readPage(position);
          await deliver(page.items);
          if (isBefore(position, page.upTo)) position = page.upTo;
          continue;
        }
        const items = waiting.shift();
        if (items) await deliver(items);
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    }

    function detach(member: Member): void {
      if (members.delete(member)) member.part();
      if (members.size > 0) return;
      leave();
      onEmpty();
      wake();
    }

    return {
      render,
      detach,
      readPage,
      attach(member) {
        if (isBefore(member.position, position)) return false;
        members.add(member);
        if (members.size === 1) {
          run().catch(() => {
            // All members leave at once, so that no other joins a group that delivers nothing.
            for (const one of members) {
              detach(one);
              one.res.destroy();
            }
          });
        }
        return true;
      },
    };
  }

  /**
   * Sends the items that an operation follows, until the caller leaves or the streams are closed. The stream must be
   * open.
   * @param from position up to which the caller has everything
   */
  async function send(
    res: ServerResponse,
    operation: Operation,
    variables: Variables,
    followed: Logged,
    from: Place,
  ): Promise<void> {
    const { log, network, matches } = followed;
    const member: Member = { res, position: from, part: () => undefined };
    let group: Group | undefined;
    res.on('close', () => {
      group?.detach(member);
      member.part();
    });
    while (!res.destroyed) {
      if (res.writableNeedDrain) await drained(res);
      // A new group starts at the tail, so that a member that is behind does not delay the others.
      group = getOrCreateGroup(operation, variables, followed, await feed.tail(log, network));
      const parted = new Promise<void>((resolve) => {
        member.part = resolve;
      });
      if (res.destroyed) return;
      // `attach` checks the position and adds the member in one turn of the event loop, so that it misses no item.
      if (group.attach(member)) await parted;
      else await catchUp(member, group, matches);
    }
  }

  /** Sends a page of the items that a member has missed, at its own speed. */
  async function catchUp(member: Member, group: Group, matches: Logged['matches']): Promise<void> {
    const { items, upTo } = await catchUps.run(() => group.readPage(member.position), never);
    for (const item of items) {
      if (member.res.destroyed) return;
      if (matches(item)) member.res.write(await group.render(item));
      member.position = item.position;
      if (member.res.writableNeedDrain) await drained(member.res);
    }
    if (isBefore(member.position, upTo)) member.position = upTo;
  }

  return { send };
}

/** A log, and the filter of a subscription to it. */
interface Logged {
  log: Log<Item>;
  network: Network;
  matches(item: Item): boolean;
  /** Returns the root value for an item, without its cursor and network. */
  toValue(item: Item): object;
}

function toLogged(followed: Exclude<Followed, { kind: 'run' }>): Logged {
  const { network, matches } = followed;
  const [log, name] =
    followed.kind === 'catalog' ? [catalogLog, 'change'] : [eventLogs[followed.source], 'event'];
  return {
    log: log as unknown as Log<Item>,
    network,
    matches: matches as unknown as Logged['matches'],
    toValue: (item) => ({ [name]: item }),
  };
}

/**
 * Parses a cursor of a log.
 * @throws ProblemError `bad_cursor`
 */
function parseCursor(log: Log<Item>, cursor: string): Place {
  const place = log.parse(cursor);
  if (place) return place;
  const message = 'is not a cursor of this subscription; leave it out to begin with what comes next';
  throw problem('bad_cursor', `after ${message}.`, { errors: [{ path: 'after', message }] });
}
