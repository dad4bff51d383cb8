import { resolve } from 'node:path';
import { loadBuilder, MoveCompileError, type PackageFiles } from './builder.ts';
import { prepared } from './prepared.ts';
import { LocalPackageFetcher, placeholderId, readPackage } from './sources.ts';
import { withoutExpectations } from './test-bytecode.ts';

export { compileForTests, type TestBytecode } from './test-bytecode.ts';

/** One Move unit test: `package::module::function` and whether it did what it promises. */
export interface MoveTest {
  name: string;
  passed: boolean;
}

export interface MoveTestRun {
  tests: MoveTest[];
  passed: number;
  failed: number;
  /**
   * Tests that expect to run out of gas, as `package::module::function`. They are not run: the runner has no gas, and
   * does not end where they do.
   */
  notRun: string[];
  /** The test runner's own words: results, failures with their place in the source, what tests print. */
  output: string;
}

/**
 * Runs the unit tests of the package in `dir` in the Move VM. Throws MoveCompileError if it does not compile.
 * Blocks the process meanwhile, for ever with a test that never ends: run only tests that are trusted.
 * @param options.expectations `false`: a test that expects a failure fails, and the output says how it ended
 */
export async function testPackage(
  dir: string,
  options: { expectations?: boolean } = {},
): Promise<MoveTestRun> {
  return run(await readPackage(dir, { tests: true }), dir, options);
}

/** The same for a package given as text; `base` is the folder that its local dependencies' paths start from. */
export async function testSources(
  files: PackageFiles,
  options: { base?: string } = {},
): Promise<MoveTestRun> {
  return run(files, options.base ?? process.cwd());
}

async function run(
  given: PackageFiles,
  root: string,
  { expectations = true }: { expectations?: boolean } = {},
): Promise<MoveTestRun> {
  const builder = await loadBuilder();
  const { files, notRun } = withoutGasTests(given);
  const fetcher = new LocalPackageFetcher(placeholderId, { tests: true });
  const result = await builder.testMovePackage({
    files: prepared(expectations ? files : withoutExpectations(files), root, resolve),
    fetcher,
    network: 'testnet',
    ansiColor: false,
  });
  if ('error' in result) throw new MoveCompileError(result.error);
  const tests = [...result.output.matchAll(/^\[ (PASS|FAIL|TIMEOUT) +\] (\S+)/gm)].map(
    ([, status, name]) => ({ name: name!, passed: status === 'PASS' }),
  );
  // Diagnostics, and no result, are what the runner answers to sources that do not compile.
  if (!result.passed && tests.length === 0) throw new MoveCompileError(result.output);
  const passed = tests.filter((test) => test.passed).length;
  const output =
    notRun.map((name) => `[ NOT RUN ] ${name} expects to run out of gas\n`).join('') + result.output;
  return { tests, notRun, passed, failed: tests.length - passed, output };
}

/** Attributes of a function, and its name. */
const attributed = /((?:#\[[^\]]*\]\s*)+)((?:public(?:\(\w+\))?\s+)?(?:entry\s+)?fun\s+(\w+))/g;

/** Makes a function for tests alone, on the same lines, of each test that expects to run out of gas. */
function withoutGasTests(files: PackageFiles): { files: PackageFiles; notRun: string[] } {
  const notRun: string[] = [];
  const changed = Object.entries(files).map(([path, text]) => {
    const next = text.replace(
      attributed,
      (found, attributes: string, head: string, name: string, at: number) => {
        if (!/\bexpected_failure\s*\(\s*out_of_gas\b/.test(attributes)) return found;
        const modules = [...text.slice(0, at).matchAll(/\bmodule\s+(\w+::\w+)/g)];
        notRun.push(`${modules.at(-1)?.[1] ?? path}::${name}`);
        return `#[test_only, allow(unused_function)]${attributes.replace(/[^\n]/g, '')} ${head}`;
      },
    );
    return [path, next] as const;
  });
  return { files: Object.fromEntries(changed), notRun };
}
