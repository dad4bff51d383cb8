import { describe, expect, test } from 'vitest';
import { publicFunctions } from '../money-guard/functions.ts';
import { playCampaign } from './campaign.ts';
import { mutants, removeCheck } from './mutants.ts';
import { openWorld } from './world.ts';

// `npm run invariants` goes on for longer, and takes out all checks.
const calls = 5_000;
const seed = 1;

test('no sequence of calls breaks an invariant of the contracts', async () => {
  const { tally, found } = playCampaign(await openWorld(), { seed, calls });
  expect(found).toBeUndefined();
  expect(tally.successes).toBeGreaterThan(500);
});

test('the calls are drawn from all public functions of the contracts', async () => {
  const { signatures } = await openWorld();
  expect(signatures.map(({ name }) => name).sort()).toEqual(await publicFunctions());
});

describe('the same calls find a contract whose check is gone', () => {
  const some = ['the budget of a cap does not run down', 'the sender is paid for the work'];
  test.each(mutants.filter(({ name }) => some.includes(name)))('$name', async (mutant) => {
    const world = await openWorld(await removeCheck(mutant));
    expect(playCampaign(world, { seed, calls, shrink: false }).found).toBeDefined();
  });

  test('each mutant that is named here exists, and each check occurs once', async () => {
    expect(mutants.filter(({ name }) => some.includes(name)).length).toBe(some.length);
    for (const mutant of mutants) await removeCheck(mutant);
  });
});
