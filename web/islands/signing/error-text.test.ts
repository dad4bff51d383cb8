import { expect, test } from 'vitest';
import { describeError } from './error-text.ts';

const circular: { message: string; self?: object } = { message: 'x' };
circular.self = circular;

test.each([
  ['nothing', undefined, 'It gave no reason.'],
  ['null', null, 'It gave no reason.'],
  ['a function', () => 1, '() => 1'],
  ['a bigint', { code: 1n }, '[object Object]'],
  ['an object that contains itself', circular, '[object Object]'],
  ['an object', { code: 4001, message: 'User rejected' }, '{"code":4001,"message":"User rejected"}'],
  ['an error of another one', new Error('a', { cause: new TypeError('b') }), 'Error: a TypeError: b'],
  ['an error of nothing', new Error('a', { cause: null }), 'Error: a It gave no reason.'],
])('a wallet that rejects with %s gets a text, so that the dialog does not wait on', (_, error, text) => {
  expect(describeError(error)).toBe(text);
});
