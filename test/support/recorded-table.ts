import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A table of a document to which a command adds a row for each of its runs. */
interface RecordedTable {
  /** Path in the repository, such as `docs/reliability.md`. */
  page: string;
  /** Comment before the table. `<!-- end -->` stands after it. */
  begin: string;
}

const root = join(import.meta.dirname, '../..');
const end = '\n<!-- end -->';

/**
 * Adds a row to the table: the cells, then the commit, the date and the machine.
 * @throws Error if the page has no place for it
 */
export async function recordRow(
  { page, begin }: RecordedTable,
  cells: readonly (string | number)[],
): Promise<void> {
  const [processor] = cpus();
  const row = [
    ...cells,
    await describeCommit(page),
    new Date().toISOString().slice(0, 10),
    `${cpus().length} cores, ${processor?.model.trim()}`,
  ];
  const path = join(root, page);
  const text = await readFile(path, 'utf8');
  const at = text.indexOf(end, text.indexOf(begin));
  if (!text.includes(begin) || at < 0) throw new Error(`${page} has no ${begin} with an end`);
  await writeFile(path, `${text.slice(0, at)}\n| ${row.join(' | ')} |${text.slice(at)}`);
}

/** Returns the commit, and that there are changes beside it: those of the page itself do not count. */
async function describeCommit(page: string): Promise<string> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: root })).stdout.trim();
  const changes = await git('status', '--porcelain', '--untracked-files=no', '--', '.', `:!${page}`);
  return (await git('rev-parse', '--short', 'HEAD')) + (changes ? ' and changes' : '');
}
