import { displayText } from '@adaptor-marketplace/adaptor/names';
import { dayMs } from '../days.ts';
import { numberTypes } from '../result-table.ts';
import type { ChartGroup } from './charts.ts';
import type { Measure } from './drawing.ts';
import { formatStep, type Steps } from './steps.ts';

/** Rows of a SQL result. `int8` and `numeric` are texts. */
interface Rows {
  columns: readonly { name: string; type: string }[];
  rows: readonly (readonly unknown[])[];
}

const timeTypes = new Set(['date', 'timestamp', 'timestamptz']);

/** Maximum number of steps for which a chart has room. */
const stepsMax = 400;
const measuresMax = 12;
/** Maximum length of a group's name in the title of its chart, in characters. */
const groupLengthMax = 60;
const secondMs = 1_000;

const toMs = (value: unknown): number => {
  if (typeof value !== 'string') return Number.NaN;
  // A time without a zone is UTC. A date alone is UTC by itself.
  return Date.parse(value.includes('T') && !value.endsWith('Z') ? `${value}Z` : value);
};

const findCommonDivisor = (a: number, b: number): number => (b === 0 ? a : findCommonDivisor(b, a % b));

/** Finds equal steps on which all times lie. Returns undefined if these are shorter than a second, or too many. */
function findSteps(times: readonly number[]): Steps | undefined {
  const distinct = [...new Set(times)].toSorted((a, b) => a - b);
  const fromMs = distinct[0];
  if (fromMs === undefined || distinct.length < 2) return undefined;
  const stepMs = distinct.map((time) => time - fromMs).reduce(findCommonDivisor);
  const count = (distinct.at(-1)! - fromMs) / stepMs + 1;
  return stepMs < secondMs || count > stepsMax ? undefined : { fromMs, stepMs, count };
}

/**
 * Builds charts of a result over time: one for each column of numbers, and for each group if columns of texts name
 * several. Returns undefined if the result has no times in equal steps, no numbers that a chart shows, several rows of
 * a group at one time, or too many groups.
 */
export function buildCharts({ columns, rows }: Rows): ChartGroup | undefined {
  const listColumns = (types: ReadonlySet<string>) =>
    columns.flatMap(({ name, type }, at) => (types.has(type) ? [{ name, at }] : []));
  const time = listColumns(timeTypes)[0];
  const numbers = listColumns(numberTypes);
  if (!time || numbers.length === 0) return undefined;
  const timed = rows.map((row) => ({ row, ms: toMs(row[time.at]) })).filter(({ ms }) => Number.isFinite(ms));
  const steps = findSteps(timed.map(({ ms }) => ms));
  if (!steps) return undefined;

  const texts = listColumns(new Set(['text', 'varchar']));
  const groups = new Map<string, (readonly unknown[] | undefined)[]>();
  for (const { row, ms } of timed) {
    const group = texts.map(({ at }) => String(row[at] ?? 'null')).join(', ');
    const at = (ms - steps.fromMs) / steps.stepMs;
    const rowsOfGroup = groups.get(group) ?? Array.from({ length: steps.count }, () => undefined);
    if (rowsOfGroup[at] !== undefined) return undefined;
    rowsOfGroup[at] = row;
    groups.set(group, rowsOfGroup);
  }
  if (groups.size * numbers.length > measuresMax) return undefined;
  const measures = [...groups].flatMap(([group, rowsOfGroup]) =>
    numbers.flatMap(({ name, at }) => {
      // Strangers may have written the texts of a result.
      const title = groups.size === 1 ? name : `${displayText(group.slice(0, groupLengthMax))}: ${name}`;
      return (
        measureColumn(
          title,
          rowsOfGroup.map((row) => row?.[at] ?? null),
          steps,
        ) ?? []
      );
    }),
  );
  const step = steps.stepMs % dayMs === 0 ? 'Day' : 'Time';
  return measures.length === 0 ? undefined : { steps, step, measures };
}

/** Returns the measure of a column; undefined if it has no values, or negative ones. */
function measureColumn(title: string, column: readonly unknown[], steps: Steps): Measure | undefined {
  const values = column.map((value) =>
    value === null || !Number.isFinite(Number(value)) ? null : Number(value),
  );
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.some((value) => value < 0)) return undefined;
  const last = values.findLastIndex((value) => value !== null);
  return {
    title,
    summary: `${column[last]} on ${formatStep(steps, last)}`,
    mark: known.every(Number.isInteger) ? 'bars' : 'line',
    series: [{ name: title, values, texts: column.map((value) => (value === null ? '' : String(value))) }],
  };
}
