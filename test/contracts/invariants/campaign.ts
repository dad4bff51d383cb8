import fc from 'fast-check';
import { InvariantBroken, playSequence } from './sequence.ts';
import { Tally } from './tally.ts';
import type { World } from './world.ts';

const sequencesOfBatch = 10;
const stepsMax = 120;

const sequences = fc.array(fc.array(fc.nat(65_535), { minLength: 60, maxLength: 100, size: 'max' }), {
  minLength: 40,
  maxLength: stepsMax,
  size: 'max',
});

/** A broken invariant with the seed that finds it again. */
interface Found {
  invariant: string;
  seed: number;
  /** Faults, and the calls of the smallest sequence. */
  message: string;
}

/**
 * Plays batches of random sequences until there were `calls`, or an invariant breaks. Batch n has the seed `seed + n`.
 */
export function playCampaign(
  world: World,
  { seed, calls, shrink = true }: { seed: number; calls: number; shrink?: boolean },
): { tally: Tally; found: Found | undefined } {
  const tally = new Tally();
  for (let batch = seed; tally.calls < calls; batch += 1) {
    const { failed, errorInstance } = fc.check(
      fc.property(sequences, (steps) => playSequence(world, steps, tally)),
      { seed: batch, numRuns: sequencesOfBatch, endOnFailure: !shrink },
    );
    if (!failed) continue;
    if (!(errorInstance instanceof InvariantBroken)) throw errorInstance;
    const { invariant, message } = errorInstance;
    return { tally, found: { invariant, seed: batch, message } };
  }
  return { tally, found: undefined };
}
