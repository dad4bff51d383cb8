import fc from 'fast-check';
import { expect, test } from 'vitest';
import { render } from '../html.ts';
import { charts } from './charts.ts';
import { buildCharts } from './rows.ts';

const columns = (...types: [name: string, type: string][]) => types.map(([name, type]) => ({ name, type }));

test('a result by day is a chart of each column of numbers, with days that have no row', () => {
  const result = {
    columns: columns(['day', 'date'], ['actions', 'int8'], ['average', 'numeric']),
    rows: [
      ['2026-01-04', '9007199254740993', null],
      ['2026-01-01', '2', '4.50'],
      ['2026-01-02', '0', '3'],
    ],
  };
  const group = buildCharts(result)!;
  expect(group.steps).toEqual({ fromMs: Date.UTC(2026, 0, 1), stepMs: 86_400_000, count: 4 });
  expect(group.step).toBe('Day');
  expect(group.measures.map(({ title, mark, series }) => [title, mark, series[0]!.values])).toEqual([
    ['actions', 'bars', [2, 0, null, 9007199254740992]],
    ['average', 'line', [4.5, 3, null, null]],
  ]);
  // The table has all digits of a number that a chart rounds.
  expect(render(charts(group))).toContain('<td>9007199254740993</td>');
});

test('each group of a column of texts has charts of its own', () => {
  const result = {
    columns: columns(['at', 'timestamptz'], ['category', 'text'], ['n', 'int4']),
    rows: [
      ['2026-01-01T00:00:00Z', 'Swap', 1],
      ['2026-01-01T00:00:00Z', null, 2],
      ['2026-01-01T01:00:00Z', 'Swap', 3],
    ],
  };
  const { measures, step } = buildCharts(result)!;
  expect(step).toBe('Time');
  expect(measures.map(({ title, series }) => [title, series[0]!.values])).toEqual([
    ['Swap: n', [1, 3]],
    ['null: n', [2, null]],
  ]);
});

const day = columns(['day', 'date'], ['n', 'int4']);
test.each([
  [
    'no time',
    columns(['name', 'text'], ['n', 'int4']),
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  [
    'no number',
    columns(['day', 'date'], ['name', 'text']),
    [
      ['2026-01-01', 'a'],
      ['2026-01-02', 'b'],
    ],
  ],
  ['one time', day, [['2026-01-01', 1]]],
  [
    'infinite times',
    day,
    [
      ['infinity', 1],
      ['-infinity', 1],
      ['2026-01-01', 1],
    ],
  ],
  [
    'two rows at one time',
    day,
    [
      ['2026-01-01', 1],
      ['2026-01-01', 2],
      ['2026-01-02', 3],
    ],
  ],
  [
    'negative numbers',
    day,
    [
      ['2026-01-01', -1],
      ['2026-01-02', 3],
    ],
  ],
  [
    'too many steps',
    day,
    [
      ['1970-01-01', 1],
      ['1970-01-02', 1],
      ['2026-01-02', 3],
    ],
  ],
])('a result with %s has no chart', (_, columns, rows) => {
  expect(buildCharts({ columns, rows })).toBeUndefined();
});

test('charts of any result are bounded, and have a value or none for each step', () => {
  const types = ['date', 'timestamp', 'timestamptz', 'text', 'int4', 'int8', 'numeric', 'float8', 'jsonb'];
  const value = fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.integer({ min: 1, max: 30 }).map((day) => `2026-01-${String(day).padStart(2, '0')}`),
    fc.constantFrom(null, 'NaN', 'Infinity', '1e400', 'infinity', -1, 0, 1.5, {}, []),
    fc.bigInt().map(String),
    fc.double(),
    fc.string(),
  );
  const result = fc.array(fc.constantFrom(...types), { maxLength: 5 }).chain((names) =>
    fc.record({
      columns: fc.constant(names.map((type, at) => ({ name: `c${at}`, type }))),
      rows: fc.array(fc.tuple(...names.map(() => value)), { maxLength: 40 }),
    }),
  );
  fc.assert(
    fc.property(result, (rows) => {
      const group = buildCharts(rows);
      if (group === undefined) return;
      expect(group.steps.count).toBeLessThanOrEqual(400);
      expect(group.measures.length).toBeLessThanOrEqual(12);
      for (const { series } of group.measures)
        for (const { values, texts } of series)
          expect([values.length, texts!.length]).toEqual([group.steps.count, group.steps.count]);
      expect(render(charts(group))).not.toMatch(/ d="[^"]*(NaN|Infinity)/);
    }),
  );
});
