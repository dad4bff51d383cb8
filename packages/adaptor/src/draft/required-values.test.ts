import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectProvidedValues, requiredValues } from './required-values.ts';
import { op, param } from './testing/ops.ts';

const order = op({
  entry: 'order',
  params: [
    param('wallet'),
    param('pure', { type: 'bool', name: 'long' }),
    param('pure'),
    param('pure'),
    param('ctx'),
  ],
});

test('callers provide values by the bytecode’s words, and by the role and a number where it has none', () => {
  expect(requiredValues(order)).toEqual([
    { index: 1, name: 'long', type: 'bool', telling: true },
    { index: 2, name: 'value1', type: 'u32', telling: false },
    { index: 3, name: 'value2', type: 'u32', telling: false },
  ]);
});

test('no two values of an op share a name, and each fits into a call spec', () => {
  const word = fc.option(fc.constantFrom('value', 'value1', 'amount', 'amount1', 'x'.repeat(200)), {
    nil: undefined,
  });
  const params = fc.array(fc.tuple(fc.constantFrom('pure', 'amount', 'minOut'), word));
  fc.assert(
    fc.property(params, (drawn) => {
      const of = op({ params: drawn.map(([role, name]) => param(role, name === undefined ? {} : { name })) });
      const names = requiredValues(of).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      expect(names.every((name) => name.length <= 64)).toBe(true);
    }),
  );
});

test('what the publisher tells stands in the place of what was guessed', () => {
  const values = collectProvidedValues([order], {
    'dex::order': ['isLong', 'size', { name: 'limit', value: 7 }],
  });
  expect(values.get(order.fqn)).toEqual([
    { index: 1, name: 'isLong', type: 'bool', telling: true, provided: true },
    { index: 2, name: 'size', type: 'u32', telling: true, provided: true },
    { index: 3, name: 'limit', type: 'u32', telling: true, provided: true, fixed: 7 },
  ]);
});

test.each([
  [{ 'dex::order': ['size'] }, 'dex::order takes 3 values, not 1: long (bool), value1 (u32), value2 (u32).'],
  [{ 'dex::swap': [] }, 'values: dex::swap is not a callable op of this listing. Callable ops: dex::order.'],
])('values that fit no op are refused with those that it takes: %j', (given, message) => {
  expect(() => collectProvidedValues([order], given)).toThrow(message);
});
