import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SimulationReport } from './simulate.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'docs/reliability.md');
const begin = '<!-- written by `npm run simulate`: worlds -->\n';
const end = '\n<!-- end -->';

/**
 * Adds a row for a world to the table in docs/reliability.md.
 * @throws Error if the page has no place for it
 */
export async function recordWorld(report: SimulationReport, minutes: number): Promise<void> {
  const [processor] = cpus();
  const counts = Object.values(report.acts);
  const add = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);
  const row = [
    report.seed,
    minutes,
    add(counts.map(({ done }) => done)),
    add(counts.map(({ failed }) => failed)),
    report.runs.done,
    report.runs.failed,
    add(Object.values(report.faults)),
    report.differences.length,
    `${Math.round(report.recoverySeconds)} s`,
    await describeCommit(),
    new Date().toISOString().slice(0, 10),
    `${cpus().length} cores, ${processor?.model.trim()}`,
  ];
  const text = await readFile(page, 'utf8');
  const at = text.indexOf(end, text.indexOf(begin));
  if (!text.includes(begin) || at < 0)
    throw new Error(`docs/reliability.md has no ${begin.trim()} with an end`);
  await writeFile(page, `${text.slice(0, at)}\n| ${row.join(' | ')} |${text.slice(at)}`);
}

/** Returns the commit, and that there are changes beside it: those of the page itself do not count. */
async function describeCommit(): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  const changes = await git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    '.',
    ':!docs/reliability.md',
  );
  return (await git('rev-parse', '--short', 'HEAD')) + (changes ? ' and changes' : '');
}
