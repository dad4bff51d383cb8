import { describe, expect, test } from 'vitest';
import { Pace } from './pace.ts';

const tip = 1_000_000;
const seconds = 1_000;

/** Reads a chain, `position(t)` of it at each second, and returns the estimates divided by the time that was left. */
function compareEstimates(position: (second: number) => number): { at: number; ratio: number }[] {
  const pace = new Pace(0, 0, 0);
  const ratios: { at: number; ratio: number }[] = [];
  for (let second = 1; second < seconds; second += 1) {
    pace.move(Math.floor(position(second)), 0, second * 1_000);
    const { secondsLeft } = pace.measure(tip, second * 1_000);
    ratios.push({ at: second / seconds, ratio: (secondsLeft ?? Number.NaN) / (seconds - second) });
  }
  return ratios;
}

const findWorst = (ratios: { at: number; ratio: number }[], from: number, to = 0.99) =>
  Math.max(
    ...ratios.filter(({ at }) => at >= from && at <= to).map(({ ratio }) => Math.max(ratio, 1 / ratio)),
  );

describe('the time left of a history is right', () => {
  test('within 2 % at a constant pace, from the tenth second on', () => {
    const ratios = compareEstimates((second) => (tip * second) / seconds);
    expect(findWorst(ratios, 0.01)).toBeLessThan(1.02);
  });

  test('within a factor of two from a fifth of the time on, if events grow denser over the whole chain', () => {
    // Events take the time: a share of the chain has its square of the events.
    const ratios = compareEstimates((second) => tip * Math.sqrt(second / seconds));
    expect(findWorst(ratios, 0.2)).toBeLessThan(2);
    expect(findWorst(ratios, 0.7)).toBeLessThan(1.25);
  });

  test('within 2 % a third of the time after the pace fell to a hundredth', () => {
    // Half of the time for all but 1 % of the chain.
    const slow = 0.01 * tip;
    const ratios = compareEstimates((second) =>
      second < 500 ? ((tip - slow) * second) / 500 : tip - slow + (slow * (second - 500)) / 500,
    );
    expect(findWorst(ratios, 0.5 * (4 / 3) + 0.02)).toBeLessThan(1.02);
  });

  test('for a history of ten days too, with few samples', () => {
    const pace = new Pace(0, 0, 0);
    const day = 86_400_000;
    for (let ms = 1_000; ms <= 9 * day; ms += 1_000) pace.move(ms * 0.35, 1, ms);
    const left = pace.measure(10 * day * 0.35, 9 * day).secondsLeft!;
    expect(left / 86_400).toBeCloseTo(1, 1);
  });
});

test('a source that stands still has a growing time left, then none, and never more than its column holds', () => {
  const pace = new Pace(0, 0, 0);
  pace.move(1, 0, 40_000);
  const early = pace.measure(300_000_000, 41_000).secondsLeft!;
  const later = pace.measure(300_000_000, 49_000).secondsLeft!;
  expect(later).toBeGreaterThanOrEqual(early);
  expect(later).toBeLessThan(2 ** 31);
  expect(pace.measure(300_000_000, 400_000).secondsLeft).toBeUndefined();
});
