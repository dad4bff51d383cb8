import type { ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { readCalls } from './draft.ts';

const id = (end: string) => `0x${end.padStart(64, '0')}`;
const toOp = (entry: string, args: object[]): ListedOp => ({
  kind: 'pay',
  module: 'jar',
  entry,
  call: { typeArgs: [], args: [{ role: 'wallet' }, ...args] } as never,
});
const jar = { role: 'object', objectId: id('b2'), mutable: true };

test('an update of a listing begins with the objects and the names of values that its calls have', () => {
  const recipient = { role: 'pure', type: 'address', name: 'recipient' };
  const ops = [toOp('tip', [jar, { role: 'amount' }]), toOp('tip_to', [jar, recipient])];
  expect(readCalls({ ops })).toEqual({ objects: id('b2'), values: { 'jar::tip_to': ['recipient'] } });
});

test('an op that fixes a value begins without names, since the form has no field for the value', () => {
  const fixed = { role: 'pure', type: 'u64', name: 'share', value: '5' };
  const open = { role: 'pure', type: 'u64', name: 'limit' };
  expect(readCalls({ ops: [toOp('split', [fixed, open])] })).toEqual({ objects: '', values: {} });
});

test('a listing that the catalog does not show begins without calls', () => {
  expect(readCalls(undefined)).toEqual({ objects: '', values: {} });
});
