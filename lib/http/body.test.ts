import { expect, test } from 'vitest';
import { findFault, jsonDepthMax } from './parse.ts';

const lists = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

test('a value may be nested so deep and no deeper, and no depth overflows the stack', () => {
  expect(findFault(lists(jsonDepthMax), 'body')).toBeUndefined();
  expect(findFault(lists(jsonDepthMax + 1), 'body')?.message).toMatch(/nested/);
  expect(findFault(lists(1_000_000), 'body')?.message).toMatch(/nested/);
});

test.each([{ a: '\0' }, { 'a\0': 1 }, ['x', ['\ud800']], { '\udfff': null }])(
  '%j cannot be stored',
  (value) => {
    expect(findFault(value, 'body')?.message).toMatch(/U\+0000/);
  },
);

test.each([null, 1, true, '', '😀', { a: [{ b: 'c' }] }])('%j is sound', (value) => {
  expect(findFault(value, 'body')).toBeUndefined();
});

test('the fault is found at its place', () => {
  expect(findFault({ a: [0, { b: '\0' }] }, 'body')).toMatchObject({ path: 'body.a.1.b' });
});
