import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { toNumber } from '../support/number-option.ts';
import { createDataDir } from '../support/service.ts';
import { mutate, mutations } from './mutations.ts';
import { recordWorld } from './record.ts';
import { cannotCompare, simulate } from './simulate.ts';

/**
 * `npm run simulate -- --seed 7 --minutes 1`: breaks a marketplace in use, compares what remains with the chain, prints a
 * report as JSON, and ends with 1 if anything differs.
 */

const options = new Command('simulate')
  .option('--seed <number>', 'decides what actors and faults do', toNumber, randomInt(2 ** 31))
  .option('--minutes <number>', 'how long the world is used and broken', toNumber, 1)
  .option('--actors <number>', 'accounts that send transactions', toNumber, 6)
  .option('--faults <names>', 'comma-separated; default: all')
  .option('--worlds <number>', 'plays as many worlds, each with the next seed', toNumber, 1)
  .option('--record', 'adds each world to docs/reliability.md')
  .option(
    '--mutate [names]',
    'switch protections off, one after the other: each world must differ; default: all',
  )
  .parse()
  .opts<{
    seed: number;
    minutes: number;
    actors: number;
    faults?: string;
    worlds: number;
    record?: true;
    mutate?: true | string;
  }>();

/** Longest time until what waits for its next attempt is tried again, and some more. */
const settleSeconds = 180;
/** Each mutant costs this time, as it never settles. */
const mutantSettleSeconds = 60;

async function playWorld(more: {
  seed: number;
  faults: readonly string[] | undefined;
  settleSeconds: number;
  program?: string;
}) {
  const { minutes, actors } = options;
  const data = await createDataDir();
  try {
    return await simulate({ minutes, actors, ...more, networkDir: data.dir, print: console.error });
  } finally {
    await data.remove();
  }
}

async function playWorlds(): Promise<void> {
  const { minutes, actors, faults, worlds, record } = options;
  for (let seed = options.seed; seed < options.seed + worlds; seed += 1) {
    const report = await playWorld({ seed, faults: faults?.split(','), settleSeconds });
    console.log(JSON.stringify(report, null, 2));
    if (record) await recordWorld(report, minutes);
    if (report.differences.length === 0) continue;
    const chosen = faults === undefined ? '' : ` --faults "${faults}"`;
    console.error(
      `\nrepeat: npm run simulate -- --seed ${seed} --minutes ${minutes} --actors ${actors}${chosen}`,
    );
    process.exitCode = 1;
  }
}

async function playMutants(names: readonly string[] | undefined): Promise<void> {
  const chosen = mutations.filter(({ name }) => names?.includes(name) ?? true);
  if (chosen.length < (names?.length ?? 1))
    throw new Error(`choose from: ${mutations.map(({ name }) => name).join(', ')}`);
  for (const mutation of chosen) {
    await using closing = new AsyncDisposableStack();
    const program = await mutate(mutation, closing);
    const report = await playWorld({
      seed: options.seed,
      faults: mutation.faults,
      program,
      settleSeconds: mutantSettleSeconds,
    });
    // A mutant that does not answer shows nothing.
    const differences = report.differences.filter((line) => !line.startsWith(cannotCompare));
    console.log(
      differences.length > 0
        ? `found: ${mutation.name}: ${differences[0]!.slice(0, 200)}`
        : `missed: ${mutation.name}`,
    );
    if (differences.length === 0) process.exitCode = 1;
  }
}

await (options.mutate
  ? playMutants(options.mutate === true ? undefined : options.mutate.split(','))
  : playWorlds());
