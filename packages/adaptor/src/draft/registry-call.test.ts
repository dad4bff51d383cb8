import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { register, update } from '../calls/registry.ts';
import { describeRegistryCall } from './registry-call.ts';
import { address, packageId } from './testing/ops.ts';

const registry = { packageId: address('4e'), originalId: address('4d'), objectId: address('4f') };
const entry = {
  packageId,
  serviceType: `${packageId}::jar::Jar`,
  manifestUri: `walrus://${'A'.repeat(43)}`,
  manifestHash: 'ab'.repeat(32),
};

test.each([
  ['register', register],
  ['update', update],
] as const)(
  'a transaction built from the described %s is the one that this project signs',
  (name, append) => {
    const [described, expected] = [new Transaction(), new Transaction()];
    append(expected, registry, entry);
    const { target, arguments: args } = describeRegistryCall(name, registry, entry);
    described.moveCall({
      target,
      arguments: args.map(({ kind, type, value = '' }) => {
        if (kind === 'object') return described.object(value);
        if (type === 'address') return described.pure.address(value);
        if (type === 'vector<u8>') return described.pure.vector('u8', Buffer.from(value.slice(2), 'hex'));
        return described.pure.string(value);
      }),
    });
    const plain = (tx: Transaction) => {
      const { inputs, commands } = tx.getData();
      const call = commands[0]!.MoveCall!;
      const given = call.arguments.map((argument) => {
        const input = inputs['Input' in argument ? argument.Input! : -1]!;
        // The builder finds how the clock is shared, so the caller need not know it.
        return input.Object?.SharedObject?.objectId ?? input.UnresolvedObject?.objectId ?? input.Pure;
      });
      return [call.package, call.module, call.function, ...given];
    };
    expect(plain(described)).toEqual(plain(expected));
  },
);

test('of an upgraded registry, the newest version is called and the object has the type of the first', () => {
  const { target, arguments: args } = describeRegistryCall('register', registry, entry);
  expect(target).toBe(`${address('4e')}::registry::register`);
  expect(args[0]).toMatchObject({ type: `${address('4d')}::registry::Registry`, value: address('4f') });
});

test('a manifest that is stored nowhere leaves the uri to the caller', () => {
  const { arguments: args } = describeRegistryCall('register', registry, { ...entry, manifestUri: null });
  expect(args.filter((argument) => !('value' in argument)).map(({ name }) => name)).toEqual(['manifest_uri']);
});
