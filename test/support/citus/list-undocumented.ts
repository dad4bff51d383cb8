import { planText } from './plan.ts';
import { readCitusLayout, readEntries } from './read-layouts.ts';
import type { SentStatement } from './record-statements.ts';

/** Lists the statements that need a row in docs/citus.md and have none: function, kind and reason. */
export async function listUndocumented(sent: readonly SentStatement[]): Promise<string[]> {
  const layout = await readCitusLayout('distribute.sql');
  const entries = await readEntries('Statements of the layout');
  const known = new Set(entries.map(({ source, cells }) => `${source} ${cells.slice(1).join(' ')}`.trim()));
  // Functions that send the texts of others.
  const free = new Set(entries.filter(({ cells }) => cells[1] === 'any').map(({ source }) => source));
  return sent.flatMap(({ text, source }) => {
    // Migrations run before the tables are distributed.
    if (source.startsWith('db/migrate.ts') || free.has(source)) return [];
    const { kind, reasons } = planText(text, layout);
    const line = `${source} ${kind} ${reasons.join('; ')}`.trim();
    return kind === 'coordinator' || known.has(line) ? [] : [line];
  });
}
