import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import { type ExecutionResult, execute } from 'graphql';
import { isBefore } from '../../../db/queries/registry-events.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import type { Operation } from '../../../graphql/operations.ts';
import { schema } from '../../../graphql/schema.ts';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { isDatabaseAway } from '../../../lib/errors/database-away.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { type Feed, type Log, type LogItem, type LogPosition, lostItemsMs } from '../live/feed.ts';
import { waitingBytesMax } from '../live/streams.ts';
import { findCursorVariable } from './followed.ts';
import { formatFrame, type LiveValue } from './streams.ts';

type Variables = Record<string, unknown>;

/** A log, and the filter of a subscription to it. */
export interface Logged {
  log: Log<LogItem>;
  network: Network;
  matches(item: LogItem): boolean;
  /** Returns the root value for an item, without its cursor and network. */
  toValue(item: LogItem): object;
}

/** Items that are read at a time for a reader that is behind. */
const pageMax = 50;
/** Maximum number of batches that wait to be rendered for a group. Beyond it, the group reads the missed items again. */
const waitingBatchesMax = 4;
/** Maximum number of selections that are rendered at once, and of readers that catch up at once. */
const [rendersMax, catchUpsMax] = [8, 4];

/** A subscriber in a group. It has everything up to `position`. */
interface Member {
  position: LogPosition;
  backlog: Backlog;
}

interface Group {
  /** Adds the member, which then receives each new item. Returns `false` without adding it if it has missed items. */
  attach(member: Member): boolean;
  detach(member: Member): void;
  render(item: LogItem): Promise<Buffer>;
  /** Reads a page of items after a position. `upTo` is the position up to which nothing is then missing. */
  readPage(after: LogPosition): Promise<{ items: LogItem[]; upTo: LogPosition }>;
}

interface LiveOptions {
  feed: Feed;
  db: GraphContext['db'];
  createContext(): GraphContext;
  write(result: ExecutionResult): string;
  log: Logger;
}

/** Opens subscriptions to logs. Subscribers with equal selections form a group, for which an item is rendered once. */
export function openGroups({ feed, db, createContext, write, log: logger }: LiveOptions) {
  const groups = new WeakMap<Operation, Map<string, Group>>();
  const renders = createSemaphore(rendersMax);
  const catchUps = createSemaphore(catchUpsMax);
  /** Contexts by item. All groups share them, so that data of an item is loaded once. */
  const contexts = new WeakMap<LogItem, GraphContext>();
  let rendered = 0;

  function getContext(item: LogItem): GraphContext {
    const known = contexts.get(item);
    if (known) return known;
    const context = createContext();
    contexts.set(item, context);
    return context;
  }

  function selectGroup(
    operation: Operation,
    variables: Variables,
    followed: Logged,
    tail: LogPosition,
  ): Group {
    const groupsByKey = groups.get(operation) ?? new Map<string, Group>();
    groups.set(operation, groupsByKey);
    const cursor = findCursorVariable(operation);
    const rest = Object.entries(variables).filter(([name]) => name !== cursor);
    const key = JSON.stringify(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = groupsByKey.get(key);
    if (known) return known;
    const group = openGroup(operation, variables, followed, tail, () => {
      // A member may leave twice, and the second time after another group has replaced its own.
      if (groupsByKey.get(key) === group) groupsByKey.delete(key);
    });
    groupsByKey.set(key, group);
    return group;
  }

  function openGroup(
    { document }: Operation,
    variableValues: Variables,
    { log, network, matches, toValue }: Logged,
    tail: LogPosition,
    onEmpty: () => void,
  ): Group {
    const members = new Set<Member>();
    let position = tail;
    let waiting: (readonly LogItem[])[] = [];
    let isJoined = false;
    let wake = (): void => undefined;
    const reader = {
      receive(items: readonly LogItem[]) {
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

    function render(item: LogItem): Promise<Buffer> {
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
          contextValue: getContext(item),
        });
        // The reader must resume before this item, not after a value that could not be read.
        const away = result.errors?.find(isDatabaseAway);
        if (away) throw away;
        return Buffer.from(formatFrame(cursor, write(result)));
      });
    }

    async function deliver(items: readonly LogItem[]): Promise<void> {
      for (const item of items) {
        if (!isBefore(position, item.position)) continue;
        const value = matches(item) && members.size > 0 ? await render(item) : undefined;
        position = item.position;
        if (!value) continue;
        for (const member of members) {
          if (!isBefore(member.position, item.position)) continue;
          if (member.backlog.bytes > waitingBytesMax) detach(member);
          else {
            member.position = item.position;
            member.backlog.add(value);
          }
        }
      }
    }

    async function readPage(after: LogPosition): Promise<{ items: LogItem[]; upTo: LogPosition }> {
      // The tail is read before the page. Otherwise, it could include an item that the page lacks.
      const upTo = await feed.tail(log, network);
      const items = await log.read(db, network, after, pageMax);
      // The feed has items that a failover of the database lost. They come again when the indexer has read them.
      const isLost = items.length === 0 && log.endsWithItem && isBefore(after, upTo);
      return { items, upTo: isLost ? after : (items.at(-1)?.position ?? upTo) };
    }

    /** Delivers items as they arrive. Items that arrived faster than they were rendered are read again. */
    async function run(): Promise<void> {
      while (members.size > 0) {
        isJoined ||= feed.join(log, network, position, reader);
        if (!isJoined) {
          const page = await readPage(position);
          await deliver(page.items);
          if (isBefore(position, page.upTo)) position = page.upTo;
          else if (page.items.length === 0) await delay(lostItemsMs, undefined, { ref: false });
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
      if (members.delete(member)) member.backlog.end();
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
          run().catch((error: unknown) => {
            logStreamFailure(error, logger);
            // All members leave at once, so that no other joins a group that delivers nothing.
            for (const one of members) {
              one.backlog.fail();
              detach(one);
            }
          });
        }
        return true;
      },
    };
  }

  /** Reads the values after a position, until the signal aborts. It fails if a value cannot be read. */
  async function* read(
    operation: Operation,
    variables: Variables,
    followed: Logged,
    from: LogPosition,
    closing: AbortSignal,
  ): AsyncGenerator<LiveValue> {
    const { log, network, matches } = followed;
    const member: Member = { position: from, backlog: createBacklog() };
    const { backlog } = member;
    let group: Group | undefined;
    const leave = () => {
      group?.detach(member);
      backlog.end();
    };
    closing.addEventListener('abort', leave);
    try {
      while (!closing.aborted) {
        // A new group starts at the tail, so that a member that is behind does not delay the others.
        group = selectGroup(operation, variables, followed, await feed.tail(log, network));
        if (closing.aborted) return;
        // `attach` checks the position and adds the member in one turn of the event loop, so that it misses no item.
        if (group.attach(member)) {
          for (let frame = await backlog.take(); frame; frame = await backlog.take()) yield { frame };
        } else yield* catchUp(member, group, matches);
      }
    } finally {
      leave();
    }
  }

  /** Reads a page of the items that a member has missed, at its own speed. */
  async function* catchUp(
    member: Member,
    group: Group,
    matches: Logged['matches'],
  ): AsyncGenerator<LiveValue> {
    const { items, upTo } = await catchUps.run(() => group.readPage(member.position));
    for (const item of items) {
      const frame = matches(item) ? await group.render(item) : undefined;
      member.position = item.position;
      if (frame) yield { frame };
    }
    if (isBefore(member.position, upTo)) member.position = upTo;
    else if (items.length === 0) await delay(lostItemsMs, undefined, { ref: false });
  }

  return { read };
}

/** The group of a reader has failed. Its error is logged once, for all its readers. */
class GroupFailedError extends Error {}

/** Logs the error that cuts off a stream, unless it is logged elsewhere: the feed logs when the database is away. */
export function logStreamFailure(error: unknown, log: Logger): void {
  if (error instanceof GroupFailedError || isDatabaseAway(error)) return;
  log.error({ err: error }, 'a subscription failed; its readers resume');
}

interface Backlog {
  bytes: number;
  add(frame: Buffer): void;
  /** Ends the membership. Frames that wait are still taken. */
  end(): void;
  fail(): void;
  /** Resolves to the next value, or to undefined at the end of a membership. @throws GroupFailedError */
  take(): Promise<Buffer | undefined>;
}

function createBacklog(): Backlog {
  const frames: Buffer[] = [];
  let hasEnded = false;
  let hasFailed = false;
  let wake = (): void => undefined;
  const backlog: Backlog = {
    bytes: 0,
    add(frame) {
      frames.push(frame);
      backlog.bytes += frame.byteLength;
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    fail() {
      hasFailed = true;
    },
    async take() {
      while (frames.length === 0 && !hasEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const frame = frames.shift();
      if (frame) backlog.bytes -= frame.byteLength;
      else if (hasFailed) throw new GroupFailedError('a value could not be read');
      else hasEnded = false;
      return frame;
    },
  };
  return backlog;
}
