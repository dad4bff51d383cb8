import { expect, test } from 'vitest';
import { UsageError } from '../io.ts';
import { valuesOf } from './values.ts';

const op = {
  kind: 'custom' as const,
  module: 'market',
  entry: 'order',
  call: {
    typeArgs: [],
    args: [
      { role: 'wallet' as const },
      { role: 'pure' as const, type: '0x1::string::String', name: 'note' },
      { role: 'pure' as const, type: 'u64', name: 'size' },
      { role: 'pure' as const, type: 'u32', name: 'tick' },
      { role: 'pure' as const, type: 'vector<bool>', name: 'flags' },
      { role: 'pure' as const, type: 'address', name: 'to' },
      { role: 'pure' as const, type: 'u8', name: 'fixed', value: 1 },
    ],
  },
};

test('a text of digits stays a text, and a number wider than 53 bits keeps its digits', () => {
  const given = [
    ['note', '007'],
    ['size', '18446744073709551615'],
    ['tick', '443'],
    ['flags', '[true]'],
  ] as const;
  expect(valuesOf(op, given)).toEqual({
    note: '007',
    size: '18446744073709551615',
    tick: '443',
    flags: [true],
  });
});

test.each([
  [
    'what the manifest fixes',
    ['fixed', '2'],
    /note \(0x1::string::String\), size \(u64\), tick \(u32\), flags \(vector<bool>\), to/,
  ],
  [
    'what the op does not know',
    ['limit', '2'],
    /note \(0x1::string::String\), size \(u64\), tick \(u32\), flags \(vector<bool>\), to/,
  ],
  [
    'what is no JSON',
    ['flags', 'yes'],
    /"yes" is not a valid vector<bool>\. Expected JSON, for example \[true\]/,
  ],
  [
    'what is no number',
    ['size', 'many'],
    /"many" is not a valid u64\. Expected a whole number from 0 to 18446744073709551615/,
  ],
  ['a number below zero', ['tick', '-1'], /not a valid u32/],
  ['a number that is too large', ['tick', '4294967296'], /not a valid u32.* 4294967295,/],
  ['a number in quotes', ['tick', '"5"'], /not a valid u32/],
  ['a list of something else', ['flags', '[1]'], /not a valid vector<bool>/],
  ['what is no address', ['to', 'me'], /--set to: "me" is not a valid address\. Expected 0x/],
] as const)('%s is refused, and it is said what is asked for', (_, pair, reason) => {
  expect(() => valuesOf(op, [pair])).toThrow(UsageError);
  expect(() => valuesOf(op, [pair])).toThrow(reason);
});
