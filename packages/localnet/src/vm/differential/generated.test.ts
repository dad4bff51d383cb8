import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateProgram } from './generate/functions.ts';
import { shrink } from './generate/shrink.ts';
import { PRELUDE } from './generate/types.ts';
import { compare, describeDifferences } from './judge.ts';
import type { Suite } from './suite.ts';

/** From each of the two seeds; a program has one to three functions. */
const PROGRAMS = 80;

/** The same functions in every run. */
const FIXED_SEED = 20_260_101;

const tapes = fc.array(fc.nat(0xffff), { minLength: 30, maxLength: 130, size: 'max' });

type Numbers = readonly number[];

/** In one module, whose tables bound how much it may hold. */
const PER_MODULE = 40;

function suitesOf(numbers: readonly Numbers[]): Suite[] {
  return Array.from({ length: Math.ceil(numbers.length / PER_MODULE) }, (_, k) => {
    const part = numbers.slice(k * PER_MODULE, (k + 1) * PER_MODULE);
    const programs = part.map((each, i) => generateProgram(each, `program_${i}`));
    return {
      name: `generated_${k}`,
      members: [PRELUDE, ...programs.flatMap((program) => program.functions)].join('\n  '),
      cases: programs.map(({ returns, call }) => ({ returns, body: call })),
    };
  });
}

function sourceOf(numbers: Numbers): string {
  const { functions, call } = generateProgram(numbers, 'program');
  return [...functions, call].join('\n');
}

/** Positions of the programs that the machines differ on. */
async function differing(numbers: readonly Numbers[]): Promise<number[]> {
  const suites = suitesOf(numbers);
  const cases = suites.flatMap((suite) => suite.cases);
  const differences = await compare(suites, { uncached: true });
  return differences.map((difference) => cases.indexOf(difference.case));
}

// Only a failure takes longer than a few seconds: it is made smaller first.
test('generated functions do the same in both machines', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.info(`seed of the generated functions that no run had before: ${seed}`);
  const numbers = [FIXED_SEED, seed].flatMap((each) => fc.sample(tapes, { seed: each, numRuns: PROGRAMS }));
  const failed = await differing(numbers);
  if (failed.length === 0) return;
  const least = await shrink(numbers[failed[0]!]!, (each) => sourceOf(each).length, differing);
  const told = describeDifferences(await compare(suitesOf([least]), { uncached: true }));
  expect.fail(`${failed.length} of ${numbers.length} differ\n${sourceOf(least)}\n${told}`);
});
