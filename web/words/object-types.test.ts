import { expect, test } from 'vitest';
import { findObjectTypes } from './object-types.ts';
import { type Operation, operationSentences } from './operation.ts';

const [own, other] = [`0x${'a'.padStart(64, '0')}`, `0x${'b'.padStart(64, '0')}`];
const [pool, registry] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
const object = (objectId: string) => ({ role: 'object', objectId, mutable: true });
const common = { kind: null, label: null, executable: true, reason: null };
const single: Operation = {
  ...common,
  module: 'swap',
  entry: 'swap',
  call: { typeArgs: [], args: [{ role: 'wallet' }, object(pool)] },
  calls: null,
};
const called = (packageId: string, parameters: string[] | null) => ({
  packageId,
  module: 'swap',
  name: 'swap',
  parameters,
});
const wallet = `&mut ${other}::wallet::Wallet`;

test('an object has the type of the parameter that takes it, in the sentence about the operation', () => {
  const types = findObjectTypes([single], own, [called(own, [wallet, `&mut ${other}::pool::Pool<T0, T1>`])]);
  expect([...types]).toEqual([[pool, 'pool::Pool']]);
  expect(operationSentences(single, [], types)).toContain(`It changes the object ${pool} (pool::Pool).`);
});

test('the calls of an operation take objects by the functions of their packages', () => {
  const step = (objectId: string, packageId?: string) => ({
    ...(packageId !== undefined && { packageId }),
    module: 'swap',
    entry: 'swap',
    typeArgs: [],
    args: [object(objectId)],
  });
  const calls = [step(pool), step(registry, other)];
  const types = findObjectTypes([{ ...common, module: null, entry: null, call: null, calls }], own, [
    called(own, [`&${own}::pool::Pool`]),
    called(other, [`&mut ${other}::registry::Registry`]),
  ]);
  expect([...types]).toEqual([
    [pool, 'pool::Pool'],
    [registry, 'registry::Registry'],
  ]);
});

test.each([
  ['an analysis that is not made yet', null],
  ['a parameter of any type', [wallet, '&mut T0']],
  ['a name that is longer than a page shows', [wallet, `&mut ${other}::pool::${'P'.repeat(100)}`]],
  ['fewer parameters than arguments', [wallet]],
])('%s shows no type', (_, parameters) => {
  expect(findObjectTypes([single], own, [called(own, parameters)]).size).toBe(0);
});
