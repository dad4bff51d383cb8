import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { anyCase } from './case.ts';
import { brokenWorlds, secondVersion } from './mutants.ts';
import { Guard, GuardBroken } from './property.ts';
import { Statistics } from './statistics.ts';
import type { WorldOptions } from './world.ts';

/**
 * `npx node test/contracts/money-guard/run.ts`: plays random cases for `GUARD_MINUTES` (default 5), in one new network after another, and prints each
 * network's seed and what was done. `GUARD_SEED` is the first network's seed; the others' follow from it. Where the
 * guard breaks it prints the smallest case, and ends with 1. `npx node test/contracts/money-guard/run.ts mutants` takes one guard after another out of
 * the packages, and ends with 1 if `GUARD_CASES` (default 600) find one of them missing nowhere.
 */
const firstSeed = Number(process.env.GUARD_SEED ?? randomInt(2 ** 31));
const casesPerNetwork = 400;

if (process.argv[2] === 'mutants') await findAll();
else await play(Number(process.env.GUARD_MINUTES ?? 5));

async function play(minutes: number): Promise<void> {
  const statistics = new Statistics();
  const end = Date.now() + minutes * 60_000;
  for (let network = 0; Date.now() < end; network += 1) {
    const seed = (firstSeed + network) % 2 ** 31;
    const [name, options] = await pickWorld(network);
    const before = { cases: statistics.cases, transactions: statistics.transactions() };
    const started = Date.now();
    const failure = await playOn(statistics, options, { seed, cases: casesPerNetwork, ms: end - started });
    const transactions = statistics.transactions() - before.transactions;
    const perSecond = Math.round((transactions * 1000) / (Date.now() - started));
    const done = `${statistics.cases - before.cases} wallets, ${transactions} transactions`;
    console.log(`seed ${seed}, ${name}: ${done}, ${perSecond} a second`);
    if (!failure) continue;
    console.error(failure);
    process.exitCode = 1;
    break;
  }
  console.log(`\nfirst seed ${firstSeed}, ${minutes} minutes`);
  for (const line of statistics.lines()) console.log(line);
  const never = statistics.neverDone();
  if (never.length > 0) console.log(`\nin no transaction that succeeded: ${never.join(', ')}`);
}

/** One network in eight has a second version of the wallet package. */
async function pickWorld(network: number): Promise<[name: string, WorldOptions]> {
  if (network % 8 !== 7) return ['one version', {}];
  return ['the adaptor behind', { upgrade: { wallet: await secondVersion(), adaptor: 'behind' } }];
}

/** Returns the failure as text; undefined if the guard held. */
async function playOn(
  statistics: Statistics,
  options: WorldOptions,
  { seed, cases, ms }: { seed: number; cases: number; ms?: number },
): Promise<string | undefined> {
  const guard = await Guard.open(statistics, options);
  try {
    const result = await fc.check(
      fc.asyncProperty(anyCase, (one) => guard.play(one)),
      {
        seed,
        numRuns: cases,
        markInterruptAsFailure: false,
        // Without a time limit the run looks for a mutant, whose smallest case is not reported.
        ...(ms === undefined ? { endOnFailure: true } : { interruptAfterTimeLimit: Math.max(1, ms) }),
      },
    );
    if (!result.failed) return undefined;
    if (result.errorInstance instanceof GuardBroken) return fc.defaultReportMessage(result) ?? 'failed';
    throw result.errorInstance;
  } finally {
    guard.close();
  }
}

async function findAll(): Promise<void> {
  const cases = Number(process.env.GUARD_CASES ?? 600);
  console.log(`seed ${firstSeed}`);
  for (const { name, options } of brokenWorlds) {
    const statistics = new Statistics();
    const failure = await playOn(statistics, await options(), { seed: firstSeed, cases });
    console.log(`${failure ? 'found' : 'MISSED'} after ${statistics.cases} wallets: ${name}`);
    if (!failure) process.exitCode = 1;
  }
}
