import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { writeDistanceTable } from './distance-table.ts';
import { addResult, type Measured, type Results } from './results.ts';
import { replaceWrittenPart } from './written-part.ts';

const measured = (name: string, value: number): Measured => ({
  date: '2026-11-24T18:25:42.442Z',
  node: 'v24.21.0',
  cores: 2,
  processor: 'AMD EPYC',
  name,
  unit: 'events/s',
  value,
  limit: 2 * value,
  limitName: 'a limit',
  ratio: 0.5,
  aim: 0.5,
  details: {},
});

test.each(['growth', 'index', 'latency'])(
  'a run of %s over a distance replaces that column alone',
  (name) => {
    const runs: [value: number, delayMs: number][] = [
      [1, 0],
      [2, 50],
      [3, 150],
      [4, 50],
      [5, 0],
    ];
    const results = runs.reduce<Results>(
      (all, [value, delayMs]) => addResult(all, measured(name, value), delayMs),
      { other: measured('other', 9) },
    );
    expect(results[name]).toMatchObject({ value: 5, overMs: { 50: { value: 4 }, 150: { value: 3 } } });
    expect(results.other).toEqual(measured('other', 9));
  },
);

test('the table has both columns beside each other', () => {
  const results = addResult({ index: measured('index', 34_336) }, measured('index', 33_628), 50);
  expect(writeDistanceTable(results)).toContain(
    '| `index`, a million events | 34,336 events/s | 33,628 events/s | 2026-11-24 |',
  );
});

test('the table of the documents is that of the saved results', async () => {
  const results: Results = JSON.parse(await readFile(new URL('results.json', import.meta.url), 'utf8'));
  const page = await readFile(new URL('README.md', import.meta.url), 'utf8');
  expect(replaceWrittenPart(page, 'distance', writeDistanceTable(results))).toBe(page);
});

test('every row of a benchmark reads a figure that its saved result has', async () => {
  const results: Results = JSON.parse(await readFile(new URL('results.json', import.meta.url), 'utf8'));
  const rows = writeDistanceTable(results).split('\n').slice(2);
  const near = rows.map((row) => row.split(' | ')[1]);
  expect(near).not.toContain('not measured');
});
