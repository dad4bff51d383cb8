import { bcs } from '@mysten/sui/bcs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BOX } from '../execution/testing/box.ts';
import { publishCommand } from '../execution/testing/commands.ts';
import type { Argument, Command } from '../execution/types.ts';
import { type Account, TestNetwork } from './testing/network.ts';
import { send } from './testing/registry.ts';
import type { ExecutedTransaction, TouchedObject, UnresolvedInput } from './types.ts';

let network: TestNetwork;
let alice: Account;
let bob: Account;
let packageId: string;
let counterId: string;

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(5_000_000_000n);
  bob = await network.account(5_000_000_000n);
  const publish = await publishCommand({ box: BOX });
  const published = await run(alice, [alice.address], [publish, transferResult(0, 0)]);
  packageId = one(published, 'package').id;
  counterId = one(published, `${packageId}::box::Counter`).id;
});

afterAll(() => network.ledger.close());

const input = (index: number): Argument => ({ $kind: 'Input', Input: index });
const transferResult = (command: number, address: number): Command => ({
  $kind: 'TransferObjects',
  TransferObjects: { objects: [{ $kind: 'Result', Result: command }], address: input(address) },
});

function call(name: string, ...args: Argument[]): Command {
  return {
    $kind: 'MoveCall',
    MoveCall: { package: packageId, module: 'box', function: name, typeArguments: [], arguments: args },
  };
}

/** Inputs: a number is a pure u64, an address of an account a pure address, any other id an object. */
async function run(
  account: Account,
  values: (bigint | string)[],
  commands: Command[],
): Promise<ExecutedTransaction> {
  const addresses = new Set([
    alice.address,
    bob.address,
    ...values.filter((value) => String(value).startsWith('@')),
  ]);
  const inputs = values.map((value): UnresolvedInput => {
    if (typeof value === 'bigint') return { kind: 'pure', bytes: bcs.u64().serialize(value).toBytes() };
    const id = value.replace('@', '');
    if (!addresses.has(value)) return { kind: 'object', objectId: id };
    return { kind: 'pure', bytes: bcs.Address.serialize(id).toBytes() };
  });
  const executed = await send(account, { sender: account.address, inputs, commands, gas: {} });
  expect(executed.failureDescription).toBeUndefined();
  return executed;
}

function one(executed: ExecutedTransaction, type: string, change?: TouchedObject['change']): TouchedObject {
  const found = executed.objects.filter(
    (each) => each.type === type && (change ?? each.change) === each.change,
  );
  expect(found).toHaveLength(1);
  return found[0]!;
}

async function newBox(owner: Account): Promise<string> {
  const executed = await run(owner, [5n, owner.address], [call('new', input(0)), transferResult(0, 1)]);
  return one(executed, `${packageId}::box::Box`, 'created').id;
}

/** Input state, output state and id operation that the effects give an object. */
function states(executed: ExecutedTransaction, id: string): string[] {
  const change = new Map(executed.effects.changedObjects).get(id);
  return [change?.inputState.$kind, change?.outputState.$kind, change?.idOperation.$kind].map(String);
}

test('an object that is wrapped is not live any more, and returns under its id with a later version', async () => {
  const box = await newBox(alice);
  const created = network.ledger.getObject(box)!.version;
  const wrapped = await run(alice, [box], [call('wrap', input(0))]);
  expect(states(wrapped, box)).toEqual(['Exist', 'NotExist', 'None']);
  expect(one(wrapped, `${packageId}::box::Box`)).toMatchObject({
    id: box,
    change: 'wrapped',
    inputVersion: created,
  });
  expect(network.ledger.getObject(box)).toBeUndefined();
  expect(network.ledger.getObject(box, created)?.id).toBe(box);

  const wrapper = one(wrapped, `${packageId}::box::Wrapper`, 'created').id;
  const unwrapped = await run(
    alice,
    [wrapper, bob.address],
    [call('unwrap', input(0)), transferResult(0, 1)],
  );
  expect(states(unwrapped, box)).toEqual(['NotExist', 'ObjectWrite', 'None']);
  expect(states(unwrapped, wrapper)).toEqual(['Exist', 'NotExist', 'Deleted']);
  expect(network.ledger.getObject(box)).toMatchObject({ owner: { kind: 'address', address: bob.address } });
  expect(network.ledger.getObject(box)!.version).toBeGreaterThan(created);
});

test('an object deleted inside its wrapper is deleted although it was not live', async () => {
  const box = await newBox(alice);
  const wrapper = one(
    await run(alice, [box], [call('wrap', input(0))]),
    `${packageId}::box::Wrapper`,
    'created',
  ).id;
  const opened = await run(alice, [wrapper], [call('open_wrapped', input(0))]);
  expect(states(opened, box)).toEqual(['NotExist', 'NotExist', 'Deleted']);
});

test('deleting an object gives back most of the storage that it had paid', async () => {
  const box = await newBox(alice);
  const { storageRebate } = network.ledger.getObject(box)!;
  const deleted = await run(alice, [box], [call('open', input(0))]);
  expect(states(deleted, box)).toEqual(['Exist', 'NotExist', 'Deleted']);
  const { storageRebate: rebate, nonRefundableStorageFee: fee } = deleted.effects.gasUsed;
  expect(BigInt(rebate) + BigInt(fee)).toBeGreaterThan(storageRebate);
  expect(Number(fee)).toBeCloseTo((Number(rebate) + Number(fee)) / 100, -1);
});

test('anyone changes a shared object; reading it leaves its version and is named in the effects', async () => {
  const before = network.ledger.getObject(counterId)!.version;
  const changed = await run(bob, [counterId], [call('count', input(0))]);
  expect(states(changed, counterId)).toEqual(['Exist', 'ObjectWrite', 'None']);
  const { version, digest, ...object } = network.ledger.getObject(counterId)!;
  expect(version).toBeGreaterThan(before);
  expect(object).toMatchObject({ owner: { kind: 'shared', initialSharedVersion: before } });

  const read = await run(alice, [counterId], [call('count_of', input(0))]);
  expect(read.effects.unchangedConsensusObjects).toEqual([
    [counterId, expect.objectContaining({ ReadOnlyRoot: [String(version), digest] })],
  ]);
  expect(network.ledger.getObject(counterId)?.version).toBe(version);
  expect(read.effects.dependencies).toContain(changed.digest);
});

test('a frozen object is for everyone to read, and nobody pays for a new version of it', async () => {
  const box = await newBox(alice);
  await run(alice, [box], [call('freeze_box', input(0))]);
  const frozen = network.ledger.getObject(box);
  const read = await run(bob, [box], [call('value', input(0))]);
  expect(one(read, `${packageId}::box::Box`)).toMatchObject({
    change: 'read',
    outputVersion: frozen?.version,
  });
  expect(network.ledger.getObject(box)).toEqual(frozen);
});

test('an object sent to an object is received by the holder of that one', async () => {
  const parent = await newBox(alice);
  const parcel = await newBox(bob);
  await run(
    bob,
    [parcel, `@${parent}`],
    [{ $kind: 'TransferObjects', TransferObjects: { objects: [input(0)], address: input(1) } }],
  );
  const received = await run(
    alice,
    [parent, parcel, alice.address],
    [call('receive_box', input(0), input(1)), transferResult(0, 2)],
  );
  const inputs = received.data.V1.kind.ProgrammableTransaction?.inputs;
  expect(inputs?.[1]?.Object?.Receiving?.objectId).toBe(parcel);
  expect(network.ledger.getObject(parcel)).toMatchObject({
    owner: { kind: 'address', address: alice.address },
  });
});

test('a dynamic field is an object of its own, that goes with its removal', async () => {
  const box = await newBox(alice);
  await run(alice, [box, 7n, 8n], [call('put', input(0), input(1), input(2))]);
  const [field] = network.ledger.listDynamicFields(box, { limit: 10 }).items;
  expect(field).toMatchObject({ kind: 'field', nameType: 'u64', valueType: 'u64', parent: box });
  expect(bcs.u64().parse(Uint8Array.from(field!.value))).toBe('8');
  const changed = await run(alice, [box, 7n, 1n], [call('add_to', input(0), input(1), input(2))]);
  expect(states(changed, field!.field.id)).toEqual(['Exist', 'ObjectWrite', 'None']);
  const removed = await run(alice, [box, 7n], [call('take', input(0), input(1))]);
  expect(states(removed, field!.field.id)).toEqual(['Exist', 'NotExist', 'Deleted']);
  expect(network.ledger.listDynamicFields(box, { limit: 10 }).items).toEqual([]);
});
