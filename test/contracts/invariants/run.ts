import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { toNumber } from '../../support/number-option.ts';
import { playCampaign } from './campaign.ts';
import { listUncovered } from './coverage.ts';
import { mutants, removeCheck } from './mutants.ts';
import { openWorld } from './world.ts';

/**
 * `npm run invariants -- --calls 100000`: plays random transactions on the contracts, and ends with 1 if one breaks an
 * invariant. `--mutate` takes the contracts' checks out one after the other, and ends with 1 if that stays unnoticed.
 */
const options = new Command('invariants')
  .option('--seed <number>', 'seed of the first batch', toNumber, randomInt(2 ** 31))
  .option('--calls <number>', 'how many calls at least; of each mutant at most', toNumber, 30_000)
  .option('--mutate', 'take the checks out of the contracts')
  .parse()
  .opts<{ seed: number; calls: number; mutate?: boolean }>();

/** Calls that reach every function. Shorter runs need not. */
const coveringCalls = 100_000;

const seconds = (startedMs: number) => `${Math.round((performance.now() - startedMs) / 1_000)} s`;
const isPassed = options.mutate ? await playMutants() : await playContracts();
if (!isPassed) process.exitCode = 1;

async function playContracts(): Promise<boolean> {
  const world = await openWorld();
  const startedMs = performance.now();
  const { tally, found } = playCampaign(world, options);
  const { calls, transactions, outcomes, checks } = tally;
  console.log(
    `first seed ${options.seed}: ${calls} calls in ${transactions} transactions, ${seconds(startedMs)}`,
  );
  printCounts(outcomes);
  console.log('\nhow often each invariant was checked:');
  printCounts(checks);
  const uncovered = listUncovered(world, tally);
  if (uncovered.length > 0) console.log(`\nnever called with success: ${uncovered.join(', ')}`);
  if (found !== undefined) {
    console.log(`\nbroken: ${found.message}\nrepeat: npm run invariants -- --seed ${found.seed} --calls 1`);
  }
  return found === undefined && (uncovered.length === 0 || calls < coveringCalls);
}

async function playMutants(): Promise<boolean> {
  let missed = 0;
  for (const mutant of mutants) {
    const world = await openWorld(await removeCheck(mutant));
    const startedMs = performance.now();
    const { tally, found } = playCampaign(world, { ...options, shrink: false });
    if (found === undefined) missed += 1;
    console.log(
      `${mutant.name}: ${found ? `found by "${found.invariant}"` : 'NOT FOUND'}, ${tally.calls} calls, ${seconds(startedMs)}`,
    );
  }
  console.log(`\nfirst seed ${options.seed}: ${mutants.length - missed} of ${mutants.length} mutants found`);
  return missed === 0;
}

function printCounts(counts: ReadonlyMap<string, number>): void {
  for (const [name, count] of [...counts].sort(([, one], [, other]) => other - one)) {
    console.log(`${String(count).padStart(8)}  ${name}`);
  }
}
