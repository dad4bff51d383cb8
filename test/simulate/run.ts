import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { toNumber } from '../support/number-option.ts';
import { createDataDir } from '../support/service.ts';
import { simulate } from './simulate.ts';

/**
 * `npm run simulate -- --seed 7 --minutes 1`: breaks a marketplace in use, compares what remains with the chain, prints a
 * report as JSON, and ends with 1 if anything differs.
 */

const options = new Command('simulate')
  .option('--seed <number>', 'decides what actors and faults do', toNumber, randomInt(2 ** 31))
  .option('--minutes <number>', 'how long the world is used and broken', toNumber, 1)
  .option('--actors <number>', 'accounts that send transactions', toNumber, 6)
  .option('--faults <names>', 'comma-separated; default: all')
  .parse()
  .opts<{ seed: number; minutes: number; actors: number; faults?: string }>();

const data = await createDataDir();
try {
  const { faults, ...rest } = options;
  const report = await simulate({
    ...rest,
    faults: faults?.split(','),
    networkDir: data.dir,
    print: console.error,
  });
  console.log(JSON.stringify(report, null, 2));
  if (report.differences.length > 0) {
    console.error(
      `\nrepeat: npm run simulate -- --seed ${options.seed} --minutes ${options.minutes} --actors ${options.actors}`,
    );
    process.exitCode = 1;
  }
} finally {
  await data.remove();
}
