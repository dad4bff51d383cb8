import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCase, type Case, severalCallsCase } from './money-guard/case.ts';
import { exercisedFunctions, outOfReach, publicFunctions } from './money-guard/functions.ts';
import { brokenWorlds, secondVersion } from './money-guard/mutants.ts';
import { Guard, GuardBroken } from './money-guard/property.ts';
import { relayCalls } from './money-guard/relay.ts';
import { Statistics, succeeded } from './money-guard/statistics.ts';
import type { WorldOptions } from './money-guard/world.ts';

/**
 * Plays `numRuns` random cases and returns their statistics.
 * @throws Error with the smallest case that breaks the guard
 */
async function play(
  options: WorldOptions,
  settings: fc.Parameters<[Case]>,
  cases = anyCase,
): Promise<Statistics> {
  const statistics = new Statistics();
  const guard = await Guard.open(statistics, options);
  try {
    const property = fc.asyncProperty(cases, (one) => guard.play(one));
    await fc.assert(property, settings);
  } finally {
    guard.close();
  }
  return statistics;
}

/**
 * Two in three cases are the same in every run. They suffice for the expected outcomes. The others are random.
 * @param cases the cases to draw from
 */
function fixedAndRandom(numRuns: number, cases = anyCase): fc.Parameters<[Case]> {
  const fixed = fc.sample(cases, { seed: 1, numRuns: (numRuns * 2) / 3 });
  return { numRuns, examples: fixed.map((one) => [one]) };
}

describe('an adaptor that does whatever its publisher wrote down last, within an action', () => {
  test('takes no more than the action says, and touches nothing else', async () => {
    const { outcomes } = await play({}, fixedAndRandom(90));
    expect(outcomes.get(succeeded)).toBeGreaterThan(20);
    expect(outcomes.size).toBeGreaterThan(20);
  });

  test('neither does one whose op is several calls, in any order, with results swapped and amounts lied about', async () => {
    const { tried, outcomes } = await play({}, fixedAndRandom(30, severalCallsCase), severalCallsCase);
    expect(outcomes.get(succeeded)).toBeGreaterThan(3);
    for (const call of relayCalls) expect([call, tried.get(`relay::${call}`)]).not.toEqual([call, undefined]);
  });

  test('neither does one that links to an older version of the wallet package: it runs with the one that is called', async () => {
    const upgrade = { wallet: await secondVersion(), adaptor: 'behind' as const };
    const { outcomes } = await play({ upgrade }, fixedAndRandom(21));
    expect(outcomes.get(succeeded)).toBeGreaterThan(0);
  });

  test('one that links to a newer version than the one that is called has no transaction', async () => {
    const upgrade = { wallet: await secondVersion(), adaptor: 'ahead' as const };
    await expect(play({ upgrade }, { numRuns: 1 })).rejects.toThrow('InvalidLinkage');
  });
});

describe('the same cases find what is missing where', () => {
  const find = async (name: string, seed: number, cases = anyCase) => {
    const { options } = brokenWorlds.find((world) => world.name === name)!;
    const broken = play(await options(), { seed, numRuns: 500, endOnFailure: true }, cases);
    await expect(broken).rejects.toMatchObject({ cause: expect.any(GuardBroken) });
  };

  // These are guards that a few cases find, with seeds that find them soon. `npx node test/contracts/money-guard/run.ts mutants`
  // looks for all of them.
  test.each([
    ['a policy pays within an action', 2],
    ['the owner acts within an action', 1],
    ['another service takes', 7],
    ['nothing need be brought', 4],
    ['the sender has money to spend elsewhere', 8],
  ])('%s', (name, seed) => find(name, seed));

  test.each([
    ['what was taken is forgotten', 8],
    ['nothing need be brought', 4],
  ])('%s, by ops of several calls alone', (name, seed) => find(name, seed, severalCallsCase));
});

test('the steps are all that other packages can call, but for what nothing within an action can call', async () => {
  const all = await publicFunctions();
  expect(all.length).toBeGreaterThan(200);
  const exercised = await exercisedFunctions();
  expect(all.filter((name) => !exercised.has(name))).toEqual(Object.keys(outOfReach).sort());
});
