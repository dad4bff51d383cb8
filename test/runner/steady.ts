import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { createVitest, parseCLI } from 'vitest/node';
import { Results } from './results.ts';

/**
 * `npm run test:steady -- <filters>`: runs all tests beside a busy loop for each core, and lists what fails. A test that
 * passes alone and fails here depends on time.
 */
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const hogs = Array.from({ length: availableParallelism() }, () => new Worker('for (;;);', { eval: true }));
const vitest = await createVitest({ ...options, watch: false });
const results = new Results();
try {
  results.add(await vitest.start(filter));
} finally {
  await vitest.close();
  await Promise.all(hogs.map((hog) => hog.terminate()));
}
console.log(`\n${results.format()}`);
process.exitCode = results.isPassed ? 0 : 1;
