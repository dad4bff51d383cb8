import { basename, resolve } from 'node:path';
import { MoveCompileError } from '@adaptor-marketplace/move-toolchain';
import { Command } from 'commander';
import { type Comparison, comparePackage } from './compare.ts';

/**
 * `npx node packages/localnet/conformance/packages/run.ts <folder>...`: runs the unit tests of Move packages in the Move VM and in the
 * interpreter of the local network. Answers the exit code: 0 when all of them are equal.
 */
export async function runPackages(args: string[], write: (text: string) => void): Promise<number> {
  const program = new Command('npx node packages/localnet/conformance/packages/run.ts')
    .description(
      'Runs the unit tests of Move packages in the Move VM and in the interpreter of the local network, and compares ' +
        'the outcome of each. Exits with 1 if one differs or a package does not compile. A git dependency other than ' +
        'the framework is not fetched: check it out and name its folder in the Move.toml, { local = "<folder>" }.',
    )
    .argument('<folder...>', 'folders with a Move.toml');
  program.parse(args, { from: 'user' });
  let failed = 0;
  const all = { tests: 0, equal: 0 };
  for (const folder of program.args) {
    const name = basename(resolve(folder));
    try {
      const comparison = await comparePackage(resolve(folder));
      const { equal, different, notCompared } = comparison;
      write(describe(name, comparison));
      all.tests += equal + different.length + notCompared.length;
      all.equal += equal;
      if (different.length > 0) failed += 1;
    } catch (error) {
      if (!(error instanceof MoveCompileError)) throw error;
      write(`${name}: does not compile\n${indented(error.message)}\n`);
      failed += 1;
    }
  }
  write(`${program.args.length} packages: ${all.tests} tests, ${all.equal} equal\n`);
  return failed === 0 ? 0 : 1;
}

function describe(name: string, { equal, different, notCompared }: Comparison): string {
  const count = equal + different.length + notCompared.length;
  const lines = [
    `${name}: ${count} tests, ${equal} equal, ${different.length} different, ${notCompared.length} not compared`,
    ...different.map(
      ({ test, moveVm, interpreter }) =>
        `  ${test}\n    Move VM:     ${moveVm}\n    interpreter: ${interpreter}`,
    ),
    ...notCompared.map(({ test, reason }) => `  ${test} is not compared: ${reason}`),
  ];
  return `${lines.join('\n')}\n`;
}

const indented = (text: string) => text.trim().replaceAll(/^/gm, '  ');

if (import.meta.main) {
  process.exitCode = await runPackages(process.argv.slice(2), (text) => process.stdout.write(text));
}
