import { expect, test } from 'vitest';
import { compare, holdsRatio, medianInterval } from './ratio.ts';

const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);

test('the interval of a median lies between the ranks that the binomial distribution gives', () => {
  // Ranks and confidences as tables of the sign test have them.
  expect(medianInterval(upTo(6))).toEqual({ low: 1, high: 6, confidence: 0.96875 });
  expect(medianInterval(upTo(7))).toEqual({ low: 1, high: 7, confidence: 0.984375 });
  expect(medianInterval(upTo(9))).toEqual({ low: 2, high: 8, confidence: 0.9609375 });
  const ofTwenty = medianInterval(upTo(20));
  expect(ofTwenty).toMatchObject({ low: 6, high: 15 });
  expect(ofTwenty.confidence).toBeCloseTo(0.9586, 4);
  expect(medianInterval(upTo(20), 0.5)).toMatchObject({ low: 8, high: 13 });
});

test('the order of the values is of no account, nor is how far off one is', () => {
  expect(medianInterval([3, 9, 1, 7, 2, 8, 4, 6, 5])).toMatchObject({ low: 2, high: 8 });
  expect(medianInterval([3, 1e9, -1e9, 7, 2, 8, 4, 6, 5])).toMatchObject({ low: 2, high: 8 });
});

test('too few values for the confidence are refused', () => {
  expect(() => medianInterval(upTo(5))).toThrow(RangeError);
  expect(() => medianInterval([])).toThrow(RangeError);
  expect(medianInterval(upTo(5), 0.9)).toMatchObject({ low: 1, high: 5 });
});

test('a path and its limit are measured in turn, and each goes first as often as the other, but once', async () => {
  const order: string[] = [];
  const measured = await compare(
    async () => order.push('path') && 3,
    async () => order.push('limit') && 2,
  );
  expect(order.slice(2).join(' ')).toBe(
    'path limit limit path path limit limit path path limit limit path path limit',
  );
  expect(measured).toMatchObject({ ratios: Array(7).fill(1.5), low: 1.5, high: 1.5 });
});

test('a limit is missed by two measurements in a row, and each is printed', async () => {
  const costs = (...ofMeasurements: number[]) => {
    let calls = 0;
    // One call warms up and seven are compared.
    const path = async () => ofMeasurements[Math.floor(calls++ / 8)]!;
    return { name: 'a path', path, limit: async () => 2, most: 2 };
  };
  const run = async (...ofMeasurements: number[]) => {
    const lines: string[] = [];
    return [await holdsRatio(costs(...ofMeasurements), (line) => lines.push(line)), ...lines];
  };
  const held = 'held: a path: 2.00 times (2.00 to 2.00, at most 2)';
  const missed = 'missed: a path: 3.00 times (3.00 to 3.00, at most 2)';
  expect(await run(4)).toEqual([true, held]);
  expect(await run(6, 4)).toEqual([true, missed, held]);
  expect(await run(6, 6, 4)).toEqual([false, missed, missed]);
});
