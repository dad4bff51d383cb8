import { loadBuilder, MoveCompileError, type PackageFiles } from './builder.ts';
import { LocalPackageFetcher, placeholderId, readPackage } from './sources.ts';

/** One Move unit test: `package::module::function` and whether it did what it promises. */
export interface MoveTest {
  name: string;
  passed: boolean;
}

export interface MoveTestRun {
  tests: MoveTest[];
  passed: number;
  failed: number;
  /** The test runner's own words: results, failures with their place in the source, what tests print. */
  output: string;
}

/**
 * Runs the unit tests of the package in `dir` in the Move VM. Throws MoveCompileError if it does not compile.
 * Blocks the process meanwhile, for ever with a test that never ends: run only tests that are trusted.
 */
export async function testPackage(dir: string): Promise<MoveTestRun> {
  return run(await readPackage(dir, { tests: true }), dir);
}

/** The same for a package given as text; `base` is the folder that its local dependencies' paths start from. */
export async function testSources(
  files: PackageFiles,
  options: { base?: string } = {},
): Promise<MoveTestRun> {
  return run(files, options.base ?? process.cwd());
}

async function run(files: PackageFiles, root: string): Promise<MoveTestRun> {
  const builder = await loadBuilder();
  const fetcher = new LocalPackageFetcher(root, placeholderId);
  const result = await builder.testMovePackage({ files, fetcher, network: 'testnet', ansiColor: false });
  if ('error' in result) throw new MoveCompileError(result.error);
  const tests = [...result.output.matchAll(/^\[ (PASS|FAIL|TIMEOUT) +\] (\S+)/gm)].map(
    ([, status, name]) => ({ name: name!, passed: status === 'PASS' }),
  );
  // Diagnostics, and no result, are what the runner answers to sources that do not compile.
  if (!result.passed && tests.length === 0) throw new MoveCompileError(result.output);
  const passed = tests.filter((test) => test.passed).length;
  return { tests, passed, failed: tests.length - passed, output: result.output };
}
