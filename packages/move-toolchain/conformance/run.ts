import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { loadBuilder, type PackageFiles } from '../src/builder.ts';
import { LocalPackageFetcher, placeholderId, readFramework } from '../src/sources.ts';
import { leaveOut } from './leave-out.ts';

/**
 * Runs unit tests of the real framework on the one in `../framework`: `npx node packages/move-toolchain/conformance/run.ts <folder>...`,
 * each folder with `.move` files that you bring (`crates/sui-framework/packages/<package>/tests` of the Sui repository).
 * What needs a function that is not here is left out and counted. Prints each failure; exits with 1 if there is one.
 */
const folders = process.argv.slice(2);
if (folders.length === 0) {
  process.stderr.write(
    'Usage: npx node packages/move-toolchain/conformance/run.ts <folder with .move files>...\n',
  );
  process.exit(2);
}

const framework = await readFramework();
const tests: PackageFiles = {};
for (const [i, folder] of folders.entries()) {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.move')) continue;
    const path = join(entry.parentPath, entry.name);
    tests[`tests/${i}/${relative(folder, path)}`] = await readFile(path, 'utf8');
  }
}

const builder = await loadBuilder();
let leftOut = 0;
for (;;) {
  const result = await builder.testMovePackage({
    files: { ...framework, ...tests },
    fetcher: new LocalPackageFetcher(placeholderId),
    network: 'testnet',
    ansiColor: false,
  });
  const output = 'error' in result ? result.error : result.output;
  const results = [...output.matchAll(/^\[ (PASS|FAIL|TIMEOUT) +\] (\S+)/gm)];
  if (results.length > 0) {
    const failed = results.filter(([, status]) => status !== 'PASS').length;
    process.stdout.write(`${output.slice(output.indexOf('Test failures:') >>> 0)}\n`);
    for (const [, status, name] of results)
      if (status !== 'PASS') process.stdout.write(`${status} ${name}\n`);
    process.stdout.write(`${results.length} tests, ${failed} differ; ${leftOut} declarations left out\n`);
    process.exitCode = failed === 0 ? 0 : 1;
    break;
  }
  const removed = leaveOut(tests, output);
  if (removed === 0) throw new Error(`The tests do not compile:\n${errorsIn(output)}`);
  leftOut += removed;
}

/** Diagnostics without the warnings. */
function errorsIn(output: string): string {
  return output
    .split('\n\n')
    .filter((part) => part.trimStart().startsWith('error'))
    .join('\n\n');
}
