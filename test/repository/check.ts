/** Runs the checks of the repository that need no tests: `npm run check`, or `npm run check words` for one of them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Commands of each check: a file of the repository and its arguments. */
const checks: Record<string, string[][]> = {
  migrations: [['db/check-migrations.ts']],
  words: [['test/repository/words.ts']],
  shapes: [['test/repository/shapes.ts']],
  generated: [
    ['services/gateway/generate.ts', '--check'],
    ['packages/sdk/generate.ts', '--check'],
    ['packages/mcp/generate.ts', '--check'],
  ],
  graph: [['graphql/check-released.ts']],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown check: ${unknown.join(', ')}. Checks: ${Object.keys(checks).join(', ')}\n`);
  process.exit(2);
}
const failed = (names.length > 0 ? names : Object.keys(checks)).filter((name) =>
  // Every command runs, so that one call shows all faults.
  checks[name]!.map((command) => spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' })).some(
    ({ status }) => status !== 0,
  ),
);
if (failed.length > 0) {
  process.stderr.write(`Failed checks: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
