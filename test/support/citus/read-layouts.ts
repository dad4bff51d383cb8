import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadModule } from 'libpg-query';
import { type Layout, readLayout } from './layout.ts';

const root = new URL('../../../', import.meta.url);

export const citusFolder = fileURLToPath(new URL('deploy/citus/', root));

/** Reads a layout of `deploy/citus`, with the views of the analysts. */
export async function readCitusLayout(name: 'distribute.sql' | 'candidates.sql'): Promise<Layout> {
  await loadModule();
  const views = await readFile(new URL('db/views/analytics.sql', root), 'utf8');
  return readLayout(await readFile(`${citusFolder}${name}`, 'utf8'), views);
}

/** A row of a table of docs/citus.md about one function. */
interface Entry {
  /** `<file>#<function>`. */
  source: string;
  cells: readonly string[];
}

/** Reads the rows below a heading of docs/citus.md that name a function in their first or fourth cell. */
export async function readEntries(heading: string): Promise<Entry[]> {
  const text = await readFile(new URL('docs/citus.md', root), 'utf8');
  const [, section = ''] = text.split(`\n## ${heading}\n`);
  const lines = section.split('\n## ')[0]!.split('\n');
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      const source = cells.find((cell) => /^`[^`]*\.ts[#`]/.test(cell)) ?? '';
      return { source: source.replaceAll('`', ''), cells };
    });
}
