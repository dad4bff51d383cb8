import fc from 'fast-check';
import { expect, test } from 'vitest';
import { daily, dayMs, firstDayMs } from '../days.ts';
import { render } from '../html.ts';
import { charts } from './charts.ts';
import { drawMeasure, type Measure } from './drawing.ts';
import { findStep, formatStep, frame, stepMiddle } from './steps.ts';

const nowMs = Date.UTC(2026, 0, 31, 9, 30);
const steps = (count: number) => ({ fromMs: firstDayMs(count, nowMs), stepMs: dayMs, count });
const bars = (...values: (number | null)[][]): Measure => ({
  title: 'Uses a day',
  summary: '5 uses',
  mark: 'bars',
  series: values.map((values, nth) => ({ name: `series ${nth}`, values })),
});

test('the days end today, and those without a row have the default', () => {
  const rows = [
    { day: '2026-01-31', uses: 3 },
    { day: '2026-01-29', uses: 1 },
    { day: '2025-01-30', uses: 9 },
  ];
  expect(daily(rows, 3, nowMs, (row) => row?.uses ?? 0)).toEqual([1, 0, 3]);
  expect([0, 1, 2].map((at) => formatStep(steps(3), at))).toEqual(['2026-01-29', '2026-01-30', '2026-01-31']);
  expect(formatStep({ fromMs: nowMs, stepMs: dayMs / 48, count: 2 }, 1)).toBe('2026-01-31 10:00');
  expect(formatStep({ fromMs: nowMs, stepMs: 10_000, count: 2 }, 1)).toBe('09:30:10');
});

test('the table has every value of the charts, and leaves out steps without any', () => {
  const page = render(
    charts({ steps: steps(3), step: 'Day', measures: [bars([1, 0, 2_000]), bars([0, 0, 4], [null, 0, 5])] }),
  );
  const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) =>
    [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
  );
  expect(rows).toEqual([
    ['Day', 'Uses a day', 'Uses a day: series 0', 'Uses a day: series 1'],
    ['2026-01-29', '1', '0', ''],
    ['2026-01-31', '2,000', '4', '5'],
  ]);
  expect([...page.matchAll(/data-columns="([\d ]+)"/g)].map(([, columns]) => columns)).toEqual(['1', '2 3']);
});

test('a chart names its measure and result, and escapes what strangers wrote', () => {
  const page = render(drawMeasure({ ...bars([1]), title: '<b>"coin"</b>' }, steps(1)));
  expect(page).toContain('aria-label="&lt;b>&quot;coin&quot;&lt;/b>: 5 uses"');
  expect(page).not.toContain('<b>');
});

test('every mark of any values lies within the frame, and no chart has a style', () => {
  const value = fc.oneof(fc.constant(null), fc.double({ min: 0, max: 1e30, noNaN: true }), fc.nat(5));
  const series = fc.array(fc.array(value, { minLength: 1, maxLength: 100 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(series, fc.constantFrom('bars' as const, 'line' as const), (values, mark) => {
      const count = Math.max(...values.map(({ length }) => length));
      const page = render(drawMeasure({ ...bars(...values), mark }, steps(count)));
      expect(page).not.toMatch(/style=|NaN|Infinity/);
      const numbers = [...page.matchAll(/ d="([^"]*)"/g)].flatMap(
        ([, d]) => d!.match(/[\d.]+(e-?\d+)?/g) ?? [],
      );
      for (const number of numbers) expect(Number(number)).toBeLessThanOrEqual(frame.width);
      for (const [, y] of page.matchAll(/[LM][\d.]+[ ,](-?[\d.]+)/g)) {
        expect(Number(y)).toBeGreaterThanOrEqual(0);
        expect(Number(y)).toBeLessThanOrEqual(frame.height);
      }
    }),
  );
});

test('the step below a pointer is the one whose middle is drawn there', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 366 }), fc.nat(), (count, nth) => {
      const at = nth % count;
      expect(findStep({ count }, stepMiddle({ count }, at) / frame.width)).toBe(at);
      expect(findStep({ count }, -1)).toBe(0);
      expect(findStep({ count }, 2)).toBe(count - 1);
    }),
  );
});
