import type { ExecutableOp } from '@adaptor-marketplace/adaptor/op';
import { expect, test } from 'vitest';
import { valuesFor } from './choose-op.ts';

const asked = (name: string, value?: unknown) => ({
  role: 'pure' as const,
  type: 'u64',
  name,
  ...(value !== undefined && { value }),
});
const op = (...args: ExecutableOp['call']['args']): ExecutableOp => ({
  ...{ kind: 'custom', module: 'm', entry: 'order', call: { typeArgs: [], args } },
});
const values = { size: '5', limit: '7', reduceOnly: false };

test("values are given by the manifest's names, whatever their case", () => {
  const order = op(asked('Size'), asked('limit_price'), { role: 'wallet' }, asked('reduce_only'));
  expect(valuesFor(order, values)).toEqual({ Size: '5', limit_price: '7', reduce_only: false });
});

test('a name that means nothing to us is given what the setting says, and nothing without it', () => {
  const order = op(asked('quantum'), asked('__proto__'), asked('size', 9));
  expect(valuesFor(order, values)).toEqual({});
  expect(valuesFor(order, values, { quantum: 'size' })).toEqual({ quantum: '5' });
});
