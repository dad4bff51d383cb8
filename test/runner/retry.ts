import { createVitest, parseCLI } from 'vitest/node';
import { Results } from './results.ts';

/**
 * `node test/runner/retry.ts --project system`: runs tests as `vitest run` does, and once more the files that failed. A file
 * that passes the second time does not fail the run: one that depends on time must not hold up a change that has nothing
 * to do with it. The last lines name such a file, so that it is fixed.
 */
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const vitest = await createVitest({ ...options, watch: false });
const results = new Results();
try {
  const first = await vitest.start(filter);
  results.add(first);
  const failed = first.testModules.filter((module) => !module.ok());
  if (failed.length > 0) {
    console.log(`\nFiles to run once more: ${failed.map((module) => module.relativeModuleId).join(', ')}`);
    results.add(await vitest.runTestSpecifications(failed.map((module) => module.toTestSpecification())));
  }
} finally {
  await vitest.close();
}
console.log(`\n${results.format()}`);
process.exitCode = results.isPassed ? 0 : 1;
