import { expect, test } from 'vitest';
import { faultOf, jsonDepthMax } from './json-value.ts';

const lists = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test('a value may be nested so deep and no deeper, and no depth overflows the stack', () => {
  expect(faultOf(lists(jsonDepthMax))).toBeUndefined();
  expect(faultOf(lists(jsonDepthMax + 1))).toMatch(/nested/);
  expect(faultOf(lists(1_000_000))).toMatch(/nested/);
});

test.each([{ a: '\0' }, { 'a\0': 1 }, ['x', ['\ud800']], { '\udfff': null }])(
  '%j cannot be stored',
  (value) => {
    expect(faultOf(value)).toMatch(/U\+0000/);
  },
);

test.each([null, 1, true, '', '😀', { a: [{ b: 'c' }] }])('%j is sound', (value) => {
  expect(faultOf(value)).toBeUndefined();
});
