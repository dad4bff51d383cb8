import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command, InvalidArgumentError } from 'commander';
import { mutants } from './mutants/list.ts';
import { GeneratedPrograms } from './programs.ts';
import { Random } from './random.ts';
import { Statistics } from './statistics.ts';
import { UnitTests } from './unit-tests.ts';

/** Functions of one generated package, and executions of each. */
const FUNCTIONS = 120;
const EXECUTIONS_EACH = 200;

/** Generated functions and their executions in which a mutant can be found, before the hostile adaptors. */
const MUTANT_FUNCTIONS = 80;
const MUTANT_EXECUTIONS = 12_000;

function count(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('Give a whole number.');
  return number;
}

const program = new Command('npx node packages/localnet/conformance/certificates/run.ts')
  .description(
    'Compares executions with the certificates of their functions. Exits with 1 if one is outside.',
  )
  .option(
    '--executions <count>',
    'executions of generated functions, and of the unit tests of each folder',
    count,
    20_000,
  )
  .option('--seed <number>', 'repeats a run', count, randomInt(2 ** 31))
  .option(
    '--tests <folders...>',
    'Move packages whose unit tests run, with changed numbers, instead of generated functions',
  )
  .option('--mutate', 'takes each rule of the analysis out, and exits with 1 if one is missed')
  .parse();

const { executions, seed, tests, mutate } = program.opts<{
  executions: number;
  seed: number;
  tests?: string[];
  mutate?: boolean;
}>();

console.log(`seed ${seed}`);
if (mutate) await findMutants();
else {
  const statistics = new Statistics();
  if (tests) await runTests(tests, statistics);
  else await runGenerated(statistics);
  console.log(statistics.describe());
  if (statistics.violations.size > 0) process.exitCode = 1;
}

async function runTests(folders: readonly string[], statistics: Statistics): Promise<void> {
  const random = new Random(seed);
  for (const folder of folders) {
    const before = statistics.executions;
    const suite = await UnitTests.compile(folder);
    suite.run(statistics, undefined);
    if (statistics.executions === before)
      throw new Error(`${folder}: no unit test calls a function of a package`);
    while (statistics.executions - before < executions) suite.run(statistics, random);
    console.log(
      `${folder}: ${statistics.executions - before} executions, ${statistics.violations.size} outside so far`,
    );
  }
}

async function runGenerated(statistics: Statistics): Promise<void> {
  const random = new Random(seed);
  while (statistics.executions < executions) {
    const programs = await GeneratedPrograms.compile(FUNCTIONS, random);
    programs.run(FUNCTIONS * EXECUTIONS_EACH, statistics, random);
    console.log(`${statistics.executions} executions, ${statistics.violations.size} outside so far`);
  }
}

async function findMutants(): Promise<void> {
  const whole = (await runMutant(-1, 'executions')) ?? (await runMutant(-1, 'hostile'));
  if (whole) throw new Error(`the whole analysis fails, before a rule is taken out: ${whole}`);
  let missed = 0;
  for (const [index, { name }] of mutants.entries()) {
    const found = (await runMutant(index, 'executions')) ?? (await runMutant(index, 'hostile'));
    console.log(found ? `found: ${name}: ${found}` : `MISSED: ${name}`);
    if (!found) missed += 1;
  }
  console.log(`${mutants.length} rules, ${missed} missed`);
  if (missed > 0) process.exitCode = 1;
}

/** Returns what shows the mutant. An analysis that crashes without the rule shows it, too. */
async function runMutant(index: number, suite: 'executions' | 'hostile'): Promise<string | undefined> {
  const sizes = [seed, MUTANT_FUNCTIONS, MUTANT_EXECUTIONS];
  const args = suite === 'hostile' ? [index, suite] : [index, ...sizes];
  const file = join(import.meta.dirname, 'mutate.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args.map(String)]);
  return JSON.parse(stdout).found;
}
