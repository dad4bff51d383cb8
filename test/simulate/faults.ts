import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/frames/random.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import type { Receiver } from './receiver.ts';
import type { World } from './world.ts';

interface Fault {
  name: string;
  /** Part of the world that it breaks. A part has one fault at a time. */
  target: string;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

/** Milliseconds that a fault lasts, and between two of them. */
const lastsMs = [200, 3_000] as const;
const pauseMs = [100, 1_500] as const;
/** Faults at the same time. */
const atOnce = 2;

interface Faults {
  /** Faults that began, by name. */
  counts: ReadonlyMap<string, number>;
  /** Resolves when each fault has been undone, after the signal has aborted. */
  ended: Promise<void>;
}

export const faultNames = (world: World, receiver: Receiver): string[] => [
  ...new Set(listFaults(world, receiver).map(({ name }) => name)),
];

/**
 * Breaks parts of the world until the signal aborts, two at a time, each for a moment.
 * @param names faults to choose from
 */
export function breakWorld(
  world: World,
  receiver: Receiver,
  { names, random, signal }: { names: readonly string[]; random: Random; signal: AbortSignal },
): Faults {
  const all = listFaults(world, receiver).filter(({ name }) => names.includes(name));
  const counts = new Map<string, number>();
  const broken = new Set<string>();
  const wait = ([from, to]: readonly [number, number]) =>
    delay(from + random.integer(to - from), undefined, { signal }).catch(() => undefined);
  async function breakParts(): Promise<void> {
    while (!signal.aborted) {
      await wait(pauseMs);
      const possible = all.filter(({ target }) => !broken.has(target));
      if (signal.aborted || possible.length === 0) continue;
      const { name, target, begin, end } = random.pick(possible);
      broken.add(target);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await begin();
      await wait(lastsMs);
      await end();
      broken.delete(target);
    }
  }
  const ended = Promise.all(Array.from({ length: atOnce }, breakParts)).then(() => undefined);
  return { counts, ended };
}

function listFaults({ roles, proxies, db }: World, receiver: Receiver): Fault[] {
  return [
    ...roles.flatMap((role, at): Fault[] => {
      const target = `${role.name} ${at}`;
      const signal = (name: NodeJS.Signals) => void role.service().process.kill(name);
      return [
        { name: `kill ${role.name}`, target, begin: () => signal('SIGKILL'), end: role.start },
        { name: `pause ${role.name}`, target, begin: () => signal('SIGSTOP'), end: () => signal('SIGCONT') },
      ];
    }),
    ...Object.entries(proxies).flatMap(([name, proxy]) => listProxyFaults(name, proxy)),
    {
      name: 'end connections of database',
      target: 'database',
      begin: async () =>
        void (await db.pool.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        )),
      end: () => undefined,
    },
    {
      name: 'receiver fails',
      target: 'receiver',
      begin: () => receiver.answerWith(500),
      end: () => receiver.answerWith(200),
    },
    {
      name: 'receiver hangs',
      target: 'receiver',
      begin: () => receiver.answerWith('nothing'),
      end: () => receiver.answerWith(200),
    },
  ];
}

const listProxyFaults = (target: string, proxy: TcpProxy): Fault[] => [
  { name: `cut ${target}`, target, begin: () => proxy.cut(), end: () => proxy.restore() },
  { name: `stall ${target}`, target, begin: () => proxy.stall(), end: () => proxy.restore() },
];
