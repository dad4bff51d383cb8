import { recordRow } from '../support/recorded-table.ts';
import type { SimulationReport } from './simulate.ts';

const table = { page: 'docs/reliability.md', begin: '<!-- written by `npm run simulate`: worlds -->' };

/** Adds a row for a world to the table in docs/reliability.md. */
export async function recordWorld(report: SimulationReport, minutes: number): Promise<void> {
  const counts = Object.values(report.acts);
  const add = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);
  await recordRow(table, [
    report.seed,
    minutes,
    add(counts.map(({ done }) => done)),
    add(counts.map(({ failed }) => failed)),
    report.runs.done,
    report.runs.failed,
    add(Object.values(report.faults)),
    report.differences.length,
    `${Math.round(report.recoverySeconds)} s`,
  ]);
}
