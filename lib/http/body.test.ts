import { expect, test } from 'vitest';
import { faultOf, jsonDepthMax } from './parse.ts';

const lists = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test('a value may be nested so deep and no deeper, and no depth overflows the stack', () => {
  expect(faultOf(lists(jsonDepthMax), 'body')).toBeUndefined();
  expect(faultOf(lists(jsonDepthMax + 1), 'body')?.message).toMatch(/nested/);
  expect(faultOf(lists(1_000_000), 'body')?.message).toMatch(/nested/);
});

test.each([{ a: '\0' }, { 'a\0': 1 }, ['x', ['\ud800']], { '\udfff': null }])(
  '%j cannot be stored',
  (value) => {
    expect(faultOf(value, 'body')?.message).toMatch(/U\+0000/);
  },
);

test.each([null, 1, true, '', '😀', { a: [{ b: 'c' }] }])('%j is sound', (value) => {
  expect(faultOf(value, 'body')).toBeUndefined();
});

test('the fault is found at its place', () => {
  expect(faultOf({ a: [0, { b: '\0' }] }, 'body')).toMatchObject({ path: 'body.a.1.b' });
});
