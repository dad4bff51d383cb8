import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCase, type Case } from './money-guard/case.ts';
import { exercisedFunctions, outOfReach, publicFunctions } from './money-guard/functions.ts';
import { brokenWorlds, secondVersion } from './money-guard/mutants.ts';
import { Guard, GuardBroken } from './money-guard/property.ts';
import { Statistics, succeeded } from './money-guard/statistics.ts';
import type { WorldOptions } from './money-guard/world.ts';

/** Plays that many random cases; answers what was done. @throws Error with the smallest case that breaks the guard */
async function play(options: WorldOptions, settings: fc.Parameters<[Case]>): Promise<Statistics> {
  const statistics = new Statistics();
  const guard = await Guard.open(statistics, options);
  try {
    const property = fc.asyncProperty(anyCase, (one) => guard.play(one));
    await fc.assert(property, settings);
  } finally {
    guard.close();
  }
  return statistics;
}

describe('an adaptor that does whatever its publisher wrote down last, within an action', () => {
  test('takes no more than the action says, and touches nothing else', async () => {
    const { outcomes } = await play({}, { numRuns: 120 });
    expect(outcomes.get(succeeded)).toBeGreaterThan(20);
    expect(outcomes.size).toBeGreaterThan(20);
  });

  test.each(['ahead', 'behind'] as const)(
    'neither does one that links to another version of the wallet package: it is %s',
    async (adaptor) => {
      const upgrade = { wallet: await secondVersion(), adaptor };
      const { outcomes } = await play({ upgrade }, { numRuns: 25 });
      expect([...outcomes.keys()].join()).toContain('wallet::assert_version');
    },
  );
});

describe('the same cases find what is missing where', () => {
  // Those that a few cases find; `npm run guard mutants` looks for all.
  const few = [
    'a policy pays within an action',
    'the owner acts within an action',
    'another service takes',
    'what was taken is forgotten',
    'nothing need be brought',
    'the sender has money to spend elsewhere',
    'the lock of another version is overlooked, the adaptor ahead',
  ];
  test.each(brokenWorlds.filter(({ name }) => few.includes(name)))('$name', async ({ options }) => {
    const broken = play(await options(), { seed: 1, numRuns: 500, endOnFailure: true });
    await expect(broken).rejects.toMatchObject({ cause: expect.any(GuardBroken) });
  });

  test('none of them is left out', () => {
    expect(brokenWorlds.filter(({ name }) => few.includes(name)).length).toBe(few.length);
  });
});

test('the steps are all that other packages can call, but for what nothing within an action can call', async () => {
  const all = await publicFunctions();
  expect(all.length).toBeGreaterThan(200);
  const exercised = await exercisedFunctions();
  expect(all.filter((name) => !exercised.has(name))).toEqual(Object.keys(outOfReach).sort());
});
