import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { fromHex, toBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Argument, Command } from '../execution/types.ts';
import { type Account, TestNetwork } from './testing/network.ts';
import { send } from './testing/registry.ts';
import type { ExecutedTransaction } from './types.ts';

let network: TestNetwork;
let alice: Account;

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(5_000_000_000n);
});

afterAll(() => network.ledger.close());

const input = (index: number): Argument => ({ $kind: 'Input', Input: index });
const address = { kind: 'pure' as const, bytes: new Uint8Array() };

function compile(functions: string) {
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  const source = `module demo::greeter { public struct Greeted has copy, drop {} ${functions} }`;
  return compileSources({ 'Move.toml': manifest, 'sources/greeter.move': source });
}

function call(target: string, ...args: Argument[]): Command {
  const [id = '', module = '', name = ''] = target.split('::');
  return {
    $kind: 'MoveCall',
    MoveCall: { package: id, module, function: name, typeArguments: [], arguments: args },
  };
}

function packageOf(executed: ExecutedTransaction): string {
  return executed.objects.find(({ type }) => type === 'package')?.id ?? '';
}

test('an upgraded package is a second object; both versions run, and its types keep their first id', async () => {
  const first = await compile('public fun greet() { sui::event::emit(Greeted {}) }');
  const published = await send(alice, {
    sender: alice.address,
    inputs: [{ ...address, bytes: fromHex(alice.address) }],
    commands: [
      {
        $kind: 'Publish',
        Publish: { modules: first.modules.map((each) => toBase64(each)), dependencies: first.dependencies },
      },
      {
        $kind: 'TransferObjects',
        TransferObjects: { objects: [{ $kind: 'Result', Result: 0 }], address: input(0) },
      },
    ],
    gas: {},
  });
  const original = packageOf(published);
  const cap = published.objects.find(({ type }) => type.endsWith('::package::UpgradeCap'))?.id ?? '';

  const second = await compile(
    'public fun greet() { sui::event::emit(Greeted {}) } public fun greet_twice() { greet(); greet() }',
  );
  const upgraded = await send(alice, {
    sender: alice.address,
    inputs: [
      { kind: 'object', objectId: cap },
      { kind: 'pure', bytes: Uint8Array.of(0) },
      { kind: 'pure', bytes: bcs.byteVector().serialize(fromHex(second.digest)).toBytes() },
    ],
    commands: [
      call('0x2::package::authorize_upgrade', input(0), input(1), input(2)),
      {
        $kind: 'Upgrade',
        Upgrade: {
          modules: second.modules.map((each) => toBase64(each)),
          dependencies: second.dependencies,
          package: original,
          ticket: { $kind: 'Result', Result: 0 },
        },
      },
      call('0x2::package::commit_upgrade', input(0), { $kind: 'Result', Result: 1 }),
    ],
    gas: {},
  });
  expect(upgraded.failureDescription).toBeUndefined();
  const newer = packageOf(upgraded);

  expect(network.ledger.listPackageVersions(newer, { limit: 10 }).items).toEqual([
    { packageId: original, version: 1n },
    { packageId: newer, version: 2n },
  ]);
  const { next } = network.ledger.listPackageVersions(original, { limit: 1 });
  expect(network.ledger.listPackageVersions(original, { limit: 1, after: next ?? '' }).items).toEqual([
    { packageId: newer, version: 2n },
  ]);
  const change = new Map(upgraded.effects.changedObjects).get(newer);
  expect(change?.outputState.PackageWrite).toEqual(['2', network.ledger.getObject(newer)?.digest]);
  expect(network.ledger.getObject(newer)).toMatchObject({ originalId: original, version: 2n });

  const greet = (target: string) =>
    send(alice, { sender: alice.address, inputs: [], commands: [call(target)], gas: {} });
  const [event, again] = (await greet(`${newer}::greeter::greet_twice`)).events;
  expect(event).toMatchObject({ index: 0, packageId: newer, type: `${original}::greeter::Greeted` });
  expect(again?.index).toBe(1);
  expect((await greet(`${original}::greeter::greet`)).events[0]?.packageId).toBe(original);
});
