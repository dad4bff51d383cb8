import { expect, test } from 'vitest';
import { findKnownTypes } from './object-types.ts';
import { describeOperation, type Operation } from './operation.ts';

const original = `0x${'c'.padStart(64, '0')}`;
const [own, other] = [`0x${'a'.padStart(64, '0')}`, `0x${'b'.padStart(64, '0')}`];
const [pool, registry] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
const object = (objectId: string) => ({ role: 'object', objectId, mutable: true });
const common = { kind: null, label: null, executable: true, coinIn: null, coinOut: null, reason: null };
const single: Operation = {
  ...common,
  module: 'swap',
  entry: 'swap',
  call: { typeArgs: [], args: [{ role: 'wallet' }, object(pool)] },
  calls: null,
};
const find = (operations: Operation[], functions: ReturnType<typeof called>[]) =>
  findKnownTypes({
    serviceType: `${original}::reef::Reef`,
    packageId: own,
    manifest: { name: 'Reef' },
    operations,
    certificate: { functions },
  });
const called = (packageId: string, parameters: string[] | null) => ({
  packageId,
  module: 'swap',
  name: 'swap',
  parameters,
});
const wallet = `&mut ${other}::wallet::Wallet`;

test('an object has the type of the parameter that takes it, in the sentence about the operation', () => {
  const type = `${other}::pool::Pool<T0, T1>`;
  const { objects } = find([single], [called(own, [wallet, `&mut ${type}`])]);
  expect([...objects]).toEqual([[pool, type]]);
  expect(describeOperation(single, [], objects)).toContain(`It changes the object ${pool} (${type}).`);
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
  const { objects } = find(
    [{ ...common, module: null, entry: null, call: null, calls }],
    [called(own, [`&${own}::pool::Pool`]), called(other, [`&mut ${other}::registry::Registry`])],
  );
  expect([...objects]).toEqual([
    [pool, `${own}::pool::Pool`],
    [registry, `${other}::registry::Registry`],
  ]);
});

test.each([
  ['an analysis that is not made yet', null],
  ['a parameter of any type', [wallet, '&mut T0']],
  ['a type that is longer than a page shows', [wallet, `&mut ${other}::pool::${'P'.repeat(300)}`]],
  ['fewer parameters than arguments', [wallet]],
])('%s shows no type', (_, parameters) => {
  expect(find([single], [called(own, parameters)]).objects.size).toBe(0);
});

test('the package of the adaptor has its name, by the id of its types too', () => {
  expect([...find([], []).packages]).toEqual([
    [own, 'Reef'],
    [original, 'Reef'],
  ]);
});
