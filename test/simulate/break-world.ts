import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/frames/random.ts';
import type { World } from '../support/world/world.ts';
import { listFaults } from './faults.ts';
import type { Receiver } from './receiver.ts';

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
