import { Inputs, Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Argument, Command } from '../execution/types.ts';
import type { ObjectRecord } from '../state/objects.ts';
import { clockId, coinBalance } from './move-types.ts';
import { type Account, referenceTo, TestNetwork } from './testing/network.ts';
import { Registry, send } from './testing/registry.ts';
import type { UnresolvedTransaction } from './types.ts';

let network: TestNetwork;
let alice: Account;
let registry: Registry;

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(3_000_000_000n, 2_000_000_000n, 1_000_000_000n);
  registry = await Registry.publish(alice);
});

afterAll(() => network.ledger.close());

const gasCoin: Argument = { $kind: 'GasCoin' };
const input = (index: number): Argument => ({ $kind: 'Input', Input: index });

function u64(value: bigint) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return { kind: 'pure' as const, bytes };
}

/** Sends `amount` of the gas coin back to the sender. */
function payment(amount: bigint, sender = alice.address): UnresolvedTransaction {
  const commands: Command[] = [
    { $kind: 'SplitCoins', SplitCoins: { coin: gasCoin, amounts: [input(0)] } },
    {
      $kind: 'TransferObjects',
      TransferObjects: { objects: [{ $kind: 'Result', Result: 0 }], address: input(1) },
    },
  ];
  const address = { kind: 'pure' as const, bytes: Buffer.from(sender.slice(2), 'hex') };
  return { sender, inputs: [u64(amount), address], commands, gas: {} };
}

test('objects named by id alone become what the called function takes: shared and changed, or only read', () => {
  const { transaction } = network.ledger.simulate(registry.registration(alice, 'Drafted'), {
    selectGas: true,
  });
  const inputs = transaction.data.V1.kind.ProgrammableTransaction?.inputs.map(
    (each) => each.Object?.SharedObject,
  );
  expect(inputs?.[0]).toMatchObject({ objectId: registry.objectId, mutable: true });
  expect(inputs?.[5]).toEqual({ objectId: clockId, initialSharedVersion: '1', mutable: false });
  expect(transaction.failureDescription).toBeUndefined();
  expect(transaction.events[0]?.type).toBe(`${registry.packageId}::registry::Registered`);
});

test('nothing that a simulation does is kept', () => {
  const before = [alice.balance(), network.ledger.getObject(registry.objectId)?.version];
  const { transaction, writtenObjects } = network.ledger.simulate(registry.registration(alice, 'Forgotten'), {
    selectGas: true,
  });
  expect(writtenObjects.length).toBeGreaterThan(2);
  expect(network.ledger.getTransaction(transaction.digest)).toBeUndefined();
  expect([alice.balance(), network.ledger.getObject(registry.objectId)?.version]).toEqual(before);
});

test('what was simulated with gas selection executes as it is, at the same cost', async () => {
  const { transaction } = network.ledger.simulate(payment(1_000n), { selectGas: true });
  const executed = await network.ledger.execute(transaction.bcs, [await alice.sign(transaction.bcs)]);
  expect(executed.failureDescription).toBeUndefined();
  expect(executed.effects.gasUsed).toEqual(transaction.effects.gasUsed);
  expect(executed.digest).toBe(transaction.digest);
});

test('every coin pays, richest first, up to 256, and none that the transaction uses otherwise', async () => {
  const owner = await network.account(3_000_000_000n, 2_000_000_000n, 1_000_000_000n);
  const ids = owner.coins().map(({ id }) => id);
  const [richest, ...others] = ids;
  const chosen = (draft: UnresolvedTransaction) =>
    network.ledger
      .simulate(draft, { selectGas: true })
      .transaction.data.V1.gasData.payment.map(({ objectId }) => objectId);
  expect(chosen(payment(1n, owner.address))).toEqual(ids);
  const draft = payment(1n, owner.address);
  const merge: Command = { $kind: 'MergeCoins', MergeCoins: { destination: gasCoin, sources: [input(2)] } };
  const using = {
    ...draft,
    inputs: [...draft.inputs, { kind: 'object' as const, objectId: richest! }],
    commands: [merge, ...draft.commands],
  };
  // The merge comes first, so the split's result is now the second command's.
  using.commands[2] = {
    $kind: 'TransferObjects',
    TransferObjects: { objects: [{ $kind: 'Result', Result: 1 }], address: input(1) },
  };
  expect(chosen(using)).toEqual(others);
  const rich = await network.account(10_000_000_000n);
  const split = new Transaction();
  split.setGasBudget(1_000_000_000);
  const parts = split.splitCoins(
    split.gas,
    Array.from({ length: 260 }, (_, at) => 1_000 + at),
  );
  split.transferObjects(
    Array.from({ length: 260 }, (_, at) => parts[at]!),
    rich.address,
  );
  expect((await rich.execute(split)).failureDescription).toBeUndefined();
  const most = rich.coins().map(({ id }) => id);
  expect(chosen(payment(1n, rich.address))).toEqual(most.slice(0, 256));
});

test('the error of an account that cannot pay names what it lacks, as that of full nodes', () => {
  const poor = `0x${'d0'.repeat(32)}`;
  expect(() => network.ledger.simulate(payment(1n, poor), { selectGas: true })).toThrow(
    /^Unable to perform gas selection due to insufficient SUI balance .* for account 0xd0.* to satisfy required budget \d+/,
  );
});

test('coins that a draft names and that cannot pay are refused with what they have and what is needed', async () => {
  const poor = await network.account(500n);
  const [coin] = poor.coins();
  const { id: objectId, version, digest } = network.ledger.getObject(coin!.id)!;
  const draft = { ...payment(1n, poor.address), gas: { payment: [{ objectId, version, digest }] } };
  expect(() => network.ledger.simulate(draft, { selectGas: true })).toThrow(
    /^Insufficient gas balance to cover estimated transaction cost\. Available gas balance: 500 MIST\. /,
  );
});

test('without gas selection and payment a simulation costs nobody anything', () => {
  const { transaction } = network.ledger.simulate(registry.registration(alice, 'Free'));
  expect(transaction.failureDescription).toBeUndefined();
  expect(transaction.balanceChanges).toEqual([]);
  expect(transaction.effects.gasObjectIndex).toBeNull();
  expect(transaction.data.V1.gasData.payment).toEqual([]);
});

test("without checks somebody else's objects may be tried, with checks they are refused", async () => {
  const bob = await network.account(1_000_000_000n);
  const [theirs] = bob.coins();
  const draft: UnresolvedTransaction = {
    sender: alice.address,
    inputs: [{ kind: 'object', objectId: theirs!.id }, u64(5n)],
    commands: [
      {
        $kind: 'MoveCall',
        MoveCall: {
          package: '0x2',
          module: 'coin',
          function: 'value',
          typeArguments: ['0x2::sui::SUI'],
          arguments: [input(0)],
        },
      },
    ],
    gas: {},
  };
  const { commandOutputs, transaction } = network.ledger.simulate(draft, {
    checks: false,
    maxOutputBytes: 1_000,
  });
  expect(transaction.failureDescription).toBeUndefined();
  const [value] = commandOutputs?.[0]?.returnValues ?? [];
  expect(value?.type).toBe('u64');
  expect(Buffer.from(value?.bytes ?? []).readBigUInt64LE()).toBe(coinOf(theirs));
  expect(() => network.ledger.simulate(draft)).toThrow(/not signed by the correct sender/);
});

test('without checks an object is taken at the version that is named, and a shared one as owned', async () => {
  const owner = await network.account(5_000_000_000n, 1_000_000_000n);
  const [coin, gas] = owner.coins();
  const call = (
    target: [module: string, name: string],
    object: ObjectRecord,
    typeArguments: string[],
  ): UnresolvedTransaction => ({
    sender: alice.address,
    inputs: [
      { kind: 'object', usage: 'owned', objectId: object.id, version: object.version, digest: object.digest },
    ],
    commands: [
      {
        $kind: 'MoveCall',
        MoveCall: {
          package: '0x2',
          module: target[0],
          function: target[1],
          typeArguments,
          arguments: [input(0)],
        },
      },
    ],
    gas: {},
  });
  const answer = (draft: UnresolvedTransaction) => {
    const options = { checks: false, maxOutputBytes: 1_000 };
    const { commandOutputs, transaction } = network.ledger.simulate(draft, options);
    expect(transaction.failureDescription).toBeUndefined();
    return Buffer.from(commandOutputs![0]!.returnValues[0]!.bytes).readBigUInt64LE();
  };
  const spend = new Transaction();
  spend.setGasPayment([referenceTo(gas!)]);
  const coinInput = spend.object(Inputs.ObjectRef(referenceTo(coin!)));
  spend.transferObjects([spend.splitCoins(coinInput, [1_000])], owner.address);
  expect((await owner.execute(spend)).failureDescription).toBeUndefined();
  const value = call(['coin', 'value'], coin!, ['0x2::sui::SUI']);
  expect(answer(value)).toBe(5_000_000_000n);
  expect(() => network.ledger.simulate({ ...value, sender: owner.address })).toThrow(
    /not available for consumption/,
  );
  const clock = call(['clock', 'timestamp_ms'], network.ledger.getObject(clockId)!, []);
  expect(answer(clock)).toBeGreaterThan(0n);
  expect(() => network.ledger.simulate(clock)).toThrow(/used as owned is not owned/);
});

test('without checks a reference that a function returns is read', () => {
  const [coin] = alice.coins();
  const draft: UnresolvedTransaction = {
    sender: alice.address,
    inputs: [{ kind: 'object', objectId: coin!.id }],
    commands: [
      {
        $kind: 'MoveCall',
        MoveCall: {
          package: '0x2',
          module: 'coin',
          function: 'balance',
          typeArguments: ['0x2::sui::SUI'],
          arguments: [input(0)],
        },
      },
    ],
    gas: {},
  };
  const options = { checks: false, maxOutputBytes: 1_000 };
  const { commandOutputs, transaction } = network.ledger.simulate(draft, options);
  expect(transaction.failureDescription).toBeUndefined();
  const [balance] = commandOutputs![0]!.returnValues;
  expect(Buffer.from(balance!.bytes).readBigUInt64LE()).toBe(coinOf(coin));
  expect(network.ledger.simulate(draft).transaction.failureDescription).toMatch(
    /^InvalidPublicFunctionReturnType/,
  );
});

test('an object that does not exist is not found', () => {
  const draft = { ...payment(1n), inputs: [{ kind: 'object' as const, objectId: `0x${'e'.repeat(64)}` }] };
  expect(() => network.ledger.simulate(draft)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});

test.each([
  ['an address that is none', { ...splitNothing(), sender: 'nobody' }],
  ['a price out of range', { ...splitNothing(), gas: { price: 2n ** 70n } }],
  ['an input that no transaction could have', { ...splitNothing(), commands: [splitOf(70_000)] }],
])('a draft with %s is refused', (_, draft) => {
  expect(() => network.ledger.simulate(draft)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

test('a failing draft is answered with its failure, not refused', async () => {
  await registry.register(alice, 'Once');
  const { transaction } = network.ledger.simulate(registry.registration(alice, 'Once'), { selectGas: true });
  expect(transaction.effects.status.Failure?.error.MoveAbort?.[1]).toBe('0');
  expect(transaction.failureDescription).toMatch(
    /^MoveAbort in command 0: abort code 0, in .*::registry::register/,
  );
});

test('a simulation sees the time of its own moment, however long ago the last checkpoint was', async () => {
  network.passTime(3_600_000);
  const now = network.passTime(1);
  const draft: UnresolvedTransaction = {
    sender: alice.address,
    inputs: [{ kind: 'object', objectId: '0x6' }],
    commands: [
      {
        $kind: 'MoveCall',
        MoveCall: {
          package: '0x2',
          module: 'clock',
          function: 'timestamp_ms',
          typeArguments: [],
          arguments: [input(0)],
        },
      },
    ],
    gas: {},
  };
  const { commandOutputs } = network.ledger.simulate(draft, { maxOutputBytes: 1_000 });
  const bytes = commandOutputs?.[0]?.returnValues[0]?.bytes ?? [];
  expect(Buffer.from(bytes).readBigUInt64LE()).toBe(BigInt(now));
  expect((await send(alice, draft)).failureDescription).toBeUndefined();
});

function coinOf(object: ReturnType<Account['coins']>[number] | undefined): bigint {
  return object?.kind === 'move' ? coinBalance(object.contents) : -1n;
}

function splitNothing(): UnresolvedTransaction {
  return { sender: `0x${'a1'.repeat(32)}`, inputs: [u64(0n)], commands: [splitOf(0)], gas: {} };
}

function splitOf(amount: number): Command {
  return {
    $kind: 'SplitCoins',
    SplitCoins: { coin: { $kind: 'GasCoin' }, amounts: [{ $kind: 'Input', Input: amount }] },
  };
}

test('without checks, an object that was deleted is taken at the version that is named', async () => {
  const owner = await network.account(3_000_000_000n, 1_000_000_000n);
  const [gas, coin] = owner.coins();
  const { version, digest } = referenceTo(coin!);
  const merge = new Transaction();
  merge.setGasPayment([referenceTo(gas!)]);
  merge.setGasBudget(100_000_000);
  merge.mergeCoins(merge.gas, [merge.objectRef(referenceTo(coin!))]);
  expect((await owner.execute(merge)).failureDescription).toBeUndefined();
  const draft = payment(1n, owner.address);
  const deleted = {
    ...draft,
    inputs: [
      ...draft.inputs,
      {
        kind: 'object' as const,
        objectId: coin!.id,
        usage: 'owned' as const,
        version: BigInt(version),
        digest,
      },
    ],
    commands: [
      { $kind: 'MergeCoins', MergeCoins: { destination: gasCoin, sources: [input(2)] } } satisfies Command,
    ],
  };
  const { transaction } = network.ledger.simulate(deleted, { checks: false });
  expect(transaction.failureDescription).toBeUndefined();
  expect(() => network.ledger.simulate(deleted, {})).toThrow(
    `Could not find the referenced object ${coin!.id} at version Some(SequenceNumber(${version}))`,
  );
});
