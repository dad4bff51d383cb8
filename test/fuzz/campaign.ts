import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import fc from 'fast-check';
import type { Door } from './door.ts';
import { Fault } from './judge.ts';

/** A fault with the smallest input that shows it. */
interface Found {
  door: string;
  seed: number;
  message: string;
  /** A command that repeats the smallest input. */
  repeat: string;
}

interface DoorCount {
  /** Batches that have begun. */
  batches: number;
  inputs: number;
}

interface CampaignOptions {
  seed: number;
  /** Maximum number of inputs of a batch. Default: as many as the door says. */
  batchSizeMax?: number;
  /** `false` ends the campaign before its next batch. */
  goesOn(played: DoorCount): boolean;
  /** Runs after a batch. */
  afterBatch?(inputs: number): Promise<void>;
  print(line: string): void;
}

const lanes = 4;

/**
 * Plays batches of the doors in turns, each with the next seed, a few at the same time. A fault is shrunk and printed once;
 * the campaign goes on.
 */
export async function playCampaign(
  doors: readonly Door[],
  { seed: first, batchSizeMax = Number.POSITIVE_INFINITY, goesOn, afterBatch, print }: CampaignOptions,
): Promise<{ found: Found[]; counts: Map<string, DoorCount> }> {
  const found: Found[] = [];
  const known = new Set<string>();
  const counts = new Map(doors.map(({ name }) => [name, { batches: 0, inputs: 0 }]));
  const played = { batches: 0, inputs: 0 };

  async function playNext(): Promise<void> {
    while (goesOn(played)) {
      const at = played.batches;
      played.batches += 1;
      const door = doors[at % doors.length]!;
      const count = counts.get(door.name)!;
      count.batches += 1;
      const options = { seed: (first + at) % 2 ** 31, numRuns: Math.min(door.batchSize, batchSizeMax) };
      const fault = await playBatch(door, options, known, () => {
        played.inputs += 1;
        count.inputs += 1;
      });
      await afterBatch?.(played.inputs);
      if (!fault) continue;
      found.push(fault);
      print(`\nfault at the door ${fault.door}, seed ${fault.seed}: ${fault.message}\n${fault.repeat}\n`);
    }
  }

  await Promise.all(Array.from({ length: lanes }, playNext));
  return { found, counts };
}

/** Plays the inputs of one seed. Returns the first fault that is not known yet, for its smallest input. */
async function playBatch(
  door: Door,
  options: { seed: number; numRuns: number },
  known: Set<string>,
  onInput: () => void,
): Promise<Found | undefined> {
  /** Fault that is being shrunk. Smaller inputs that have another one do not count. */
  let signature: string | undefined;
  const property = fc.asyncProperty(door.inputs, async (input) => {
    onInput();
    try {
      await door.play(input);
    } catch (error) {
      const own = error instanceof Fault ? error.signature : `${door.name} ${getErrorMessage(error)}`;
      if (signature === undefined ? known.has(own) : own !== signature) return;
      signature = own;
      known.add(own);
      throw error;
    }
  });
  const result = await fc.check(property, options);
  if (!result.failed) return undefined;
  if (!result.counterexample) throw result.errorInstance;
  return {
    door: door.name,
    seed: options.seed,
    message: getErrorMessage(result.errorInstance),
    repeat: door.render(result.counterexample[0]),
  };
}
