import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { testPackage } from '@adaptor-marketplace/move-toolchain/test-package';
import { Command } from 'commander';
import { CommandFailedError, type Io, say } from '../io.ts';
import { addExamples, answer } from '../options.ts';

/** `test`: runs the unit tests of a package. */
export function createTestCommand(io: Io) {
  const command = new Command('test')
    .description(
      'Runs the unit tests of a Move package in the Move VM. Needs no network but for dependencies in git.',
    )
    .argument('[folder]', 'folder with Move.toml, sources and tests', '.')
    .option('--json', 'print the result as JSON, and errors as problem+json')
    .action(async (folder: string, options: { json?: boolean }) => {
      const { tests, notRun, passed, failed, output } = await testPackage(folder).catch((error: unknown) => {
        throw new CommandFailedError(`${folder} cannot be tested.\n${getErrorMessage(error)}`);
      });
      const report = output.trimEnd().split('\n');
      if (failed > 0) say(io.err, report);
      if (failed > 0) throw new CommandFailedError(`${failed} of ${passed + failed} tests failed.`);
      if (passed === 0)
        throw new CommandFailedError(`${folder} has no tests. Expected functions with #[test].`);
      answer(io, options, { passed, failed, tests, notRun }, () => report);
    });
  return addExamples(command, 'test my_adaptor', 'test . --json');
}
