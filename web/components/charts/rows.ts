import { displayText } from '@adaptor-marketplace/adaptor/names';
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

/** More steps than a chart has room for. */
const stepsMax = 400;
const measuresMax = 12;
/** Characters of a group's name in the title of its chart. */
const groupLengthMax = 60;
const secondMs = 1_000;
const dayMs = 86_400_000;

const toMs = (value: unknown): number => {
  if (typeof value !== 'string') return Number.NaN;
  // A time without a zone is UTC. A date alone is UTC by itself.
  return Date.parse(value.includes('T') && !value.endsWith('Z') ? `${value}Z` : value);
};

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Returns the steps that all times are on; undefined if there are none of a second or more, or too many. */
function findSteps(times: readonly number[]): Steps | undefined {
  const distinct = [...new Set(times)].toSorted((a, b) => a - b);
  const fromMs = distinct[0];
  if (fromMs === undefined || distinct.length < 2) return undefined;
  const stepMs = distinct.map((time) => time - fromMs).reduce(divisor);
  const count = (distinct.at(-1)! - fromMs) / stepMs + 1;
  return stepMs < secondMs || count > stepsMax ? undefined : { fromMs, stepMs, count };
}

/**
 * Returns charts of a result over time: of each column of numbers and, where a column of texts names several groups, of
 * each of them. Undefined if the result has no times in equal steps, no numbers, or several rows of a group at one time.
 */
export function chartRows({ columns, rows }: Rows): ChartGroup | undefined {
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
      // Texts of a result may be those of strangers.
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

/** Returns the measure of a column; undefined if it has no value that a chart shows. */
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
