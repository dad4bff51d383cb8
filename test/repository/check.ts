/** Runs the checks of the repository that need no tests: `npm run check`, or `npm run check words` for one of them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
    ['test/diagrams/generate.ts', '--check'],
  ],
  graph: [['graphql/check-released.ts']],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0) {
  process.stderr.write(`Unknown check: ${unknown.join(', ')}. Checks: ${Object.keys(checks).join(', ')}\n`);
  process.exit(2);
}
const run = async (command: string[]): Promise<boolean> => {
  const [status] = await once(spawn(process.execPath, command, { cwd: root, stdio: 'inherit' }), 'exit');
  return status === 0;
};
// All commands run, at the same time, so that one call shows all faults.
const results = await Promise.all(
  (names.length > 0 ? names : Object.keys(checks)).map(async (name) => {
    const passed = await Promise.all(checks[name]!.map(run));
    return { name, passed: passed.every(Boolean) };
  }),
);
const failed = results.filter(({ passed }) => !passed).map(({ name }) => name);
if (failed.length > 0) {
  process.stderr.write(`Failed checks: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
