import { bcs } from '@mysten/sui/bcs';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MoveObject } from '../state/objects.ts';
import { STD, SUI, UPGRADE_CAP } from './framework.ts';
import {
  ALICE,
  BOB,
  call,
  gasCoin,
  input,
  nested,
  objectInput,
  publishCommand,
  pure,
  result,
  TestChain,
  transfer,
} from './test-chain.ts';
import type { Argument, Command, ExecutionInput } from './types.ts';

const SOURCE = `
module demo::box {
  use sui::dynamic_field as df;
  use sui::event;

  public struct Box has key, store { id: UID, value: u64 }
  public struct Wrapper has key { id: UID, inner: Box }
  public struct Counter has key { id: UID, value: u64 }
  public struct Potato { value: u64 }
  public struct Opened has copy, drop { value: u64, who: address }
  public struct BOX has drop {}

  fun init(witness: BOX, ctx: &mut TxContext) {
    assert!(sui::types::is_one_time_witness(&witness), 7);
    transfer::share_object(Counter { id: object::new(ctx), value: 0 });
    event::emit(Opened { value: 99, who: ctx.sender() });
  }

  public fun new(value: u64, ctx: &mut TxContext): Box { Box { id: object::new(ctx), value } }
  public fun set(box: &mut Box, value: u64, ctx: &TxContext) {
    box.value = value;
    event::emit(Opened { value, who: ctx.sender() });
  }
  public fun value(box: &Box): u64 { box.value }
  public fun open(box: Box): u64 { let Box { id, value } = box; id.delete(); value }
  public fun wrap(inner: Box, ctx: &mut TxContext) { transfer::transfer(Wrapper { id: object::new(ctx), inner }, ctx.sender()) }
  public fun unwrap(wrapper: Wrapper): Box { let Wrapper { id, inner } = wrapper; id.delete(); inner }
  public fun open_wrapped(wrapper: Wrapper): u64 { open(unwrap(wrapper)) }
  public fun count(counter: &mut Counter) { counter.value = counter.value + 1 }
  public fun count_of(counter: &Counter): u64 { counter.value }
  public fun end_counter(counter: Counter) { let Counter { id, .. } = counter; id.delete() }
  public fun freeze_box(box: Box) { transfer::public_freeze_object(box) }
  public fun share_old(box: Box) { transfer::public_share_object(box) }
  public fun put(box: &mut Box, key: u64, value: u64) { df::add(&mut box.id, key, value) }
  public fun add_to(box: &mut Box, key: u64, more: u64) { let v: &mut u64 = df::borrow_mut(&mut box.id, key); *v = *v + more }
  public fun field(box: &Box, key: u64): u64 { *df::borrow(&box.id, key) }
  public fun field_as_bool(box: &Box, key: u64): bool { *df::borrow(&box.id, key) }
  public fun take(box: &mut Box, key: u64): u64 { df::remove(&mut box.id, key) }
  public fun retake(box: &mut Box, key: u64) { let v: u64 = df::remove(&mut box.id, key); df::add(&mut box.id, key, v + 1) }
  public fun receive_box(parent: &mut Box, ticket: transfer::Receiving<Box>): Box { transfer::receive(&mut parent.id, ticket) }
  public fun potato(value: u64): (Potato, u64) { (Potato { value }, value) }
  public fun eat(potato: Potato): u64 { let Potato { value } = potato; value }
  public fun sum(values: vector<u64>): u64 { let mut s = 0; values.do!(|v| s = s + v); s }
  public fun names(name: std::string::String, maybe: Option<u8>, id: ID): (std::string::String, Option<u8>, ID) { (name, maybe, id) }
  public fun identity<T>(value: T): T { value }
  public fun needs_store<T: store>(value: T): T { value }
  public fun reference(box: &Box): &u64 { &box.value }
  public fun total(boxes: vector<Box>): u64 { let mut s = 0; boxes.do!(|b| s = s + open(b)); s }
  entry fun private_entry(value: u64): u64 { value }
  fun hidden() {}
  public(package) fun friendly() {}
  public fun forever() { loop {} }
  public fun recurse(n: u64): u64 { recurse(n + 1) + 1 }
  public fun fail() { abort 42 }
  public fun overflow(a: u8): u8 { a + 1 }
}`;

let chain: TestChain;
let demo: string;
let counterId: string;

beforeAll(async () => {
  chain = await TestChain.open();
  demo = await chain.publish({ box: SOURCE });
  const counter = [...chain.objects.values()].find(
    (object) => object.kind === 'move' && object.type.endsWith('::box::Counter'),
  );
  counterId = counter!.id;
});

const fn = (name: string) => `${demo}::box::${name}`;
const u64 = (value: bigint) => pure(bcs.u64(), value);

function newBox(value = 5n, owner = ALICE): string {
  const outcome = chain.run(
    [call(fn('new'), [input(0)]), transfer([result(0)], input(1))],
    inputs(value, owner),
  );
  expect(outcome.failure).toBeUndefined();
  return outcome.writes[0]!.id;
}

function returned(outcome: ReturnType<TestChain['run']>, command = 0, value = 0) {
  expect(outcome.failure).toBeUndefined();
  return outcome.commandOutputs[command]!.returnValues[value]!;
}

const u64Of = (bytes: Uint8Array) => BigInt(bcs.u64().parse(bytes));

function inputs(...list: (MoveObject | bigint | string)[]): Partial<ExecutionInput> {
  const toArgument = (each: MoveObject | bigint | string) => {
    if (typeof each === 'bigint') return u64(each);
    return typeof each === 'string' ? pure(bcs.Address, each) : objectInput(each);
  };
  return { inputs: list.map(toArgument) };
}

function failureOf(commands: Command[], options: Partial<ExecutionInput> = {}) {
  const outcome = chain.run(commands, options);
  expect(outcome.writes).toEqual([]);
  return outcome.failure;
}

describe('publishing', () => {
  it('runs init with a one-time witness, shares what init shares and returns the right to upgrade', () => {
    const cap = [...chain.objects.values()].find((o) => o.kind === 'move' && o.type === UPGRADE_CAP);
    expect(cap).toMatchObject({ owner: { kind: 'address', address: ALICE }, hasPublicTransfer: true });
    expect(chain.object(counterId).owner).toEqual({ kind: 'shared', initialSharedVersion: 1n });
  });

  it('stamps events of init with the new package', async () => {
    const outcome = chain.run(
      [await publishCommand({ box: SOURCE }), transfer([result(0)], input(0))],
      inputs(ALICE),
    );
    const [published] = outcome.packages;
    expect(outcome.events).toMatchObject([
      { packageId: published!.id, module: 'box', type: `${published!.id}::box::Opened` },
    ]);
    expect(published!.typeOrigins).toContainEqual({
      module: 'box',
      datatype: 'Box',
      packageId: published!.id,
    });
    expect([...published!.linkage.keys()].sort()).toEqual([STD, SUI]);
  });

  it('lets commands of the same transaction call the package, and forgets it when the transaction fails', async () => {
    const command = await publishCommand({ box: SOURCE });
    const failed = chain.run([command, call(fn('fail'))]);
    expect(failed.failure).toMatchObject({ command: 1, reason: { kind: 'MoveAbort' } });
    expect(failed.packages).toEqual([]);
  });

  it('refuses bytes that are no module, modules given twice and missing dependencies', async () => {
    const command = await publishCommand({ box: SOURCE });
    if (command.$kind !== 'Publish') throw new Error('not a publish command');
    const { modules, dependencies } = command.Publish;
    const publish = (change: Partial<typeof command.Publish>) =>
      failureOf([{ $kind: 'Publish', Publish: { modules, dependencies, ...change } }])?.reason.kind;
    expect(publish({ modules: ['AAAA'] })).toBe('VMVerificationOrDeserializationError');
    expect(publish({ modules: [] })).toBe('VMVerificationOrDeserializationError');
    expect(publish({ modules: [...modules, ...modules] })).toBe('VMVerificationOrDeserializationError');
    expect(publish({ dependencies: [STD] })).toBe('PublishUpgradeMissingDependency');
    expect(publish({ dependencies: [...dependencies, BOB] })).toBe('PublishUpgradeMissingDependency');
  });
});

describe('objects', () => {
  it('creates, mutates by reference and deletes', () => {
    const id = newBox();
    const mutated = chain.run([call(fn('set'), [input(0), input(1)])], inputs(chain.object(id), 9n));
    expect(mutated.writes).toMatchObject([
      { change: 'mutated', id, owner: { kind: 'address', address: ALICE } },
    ]);
    expect(mutated.events).toMatchObject([
      { packageId: demo, module: 'box', sender: ALICE, type: `${demo}::box::Opened` },
    ]);
    const opened = chain.run([call(fn('open'), [input(0)])], inputs(chain.object(id)));
    expect(u64Of(returned(opened).bytes)).toBe(9n);
    expect(opened.writes).toEqual([{ change: 'deleted', id }]);
  });

  it('counts an owned input as mutated even when it is only read, and an immutable one never', () => {
    const id = newBox();
    const read = chain.run([call(fn('value'), [input(0)])], inputs(chain.object(id)));
    expect(read.writes).toMatchObject([{ change: 'mutated', id }]);
    chain.run([call(fn('freeze_box'), [input(0)])], inputs(chain.object(id)));
    const frozen = chain.object(id);
    expect(frozen.owner).toEqual({ kind: 'immutable' });
    expect(chain.run([call(fn('value'), [input(0)])], inputs(frozen)).writes).toEqual([]);
    expect(failureOf([call(fn('set'), [input(0), input(1)])], inputs(frozen, 1n))).toMatchObject({
      reason: { kind: 'CommandArgumentError', argument: 0, error: 'InvalidObjectByMutRef' },
    });
    expect(failureOf([call(fn('open'), [input(0)])], inputs(frozen))).toMatchObject({
      reason: { error: 'InvalidObjectByValue' },
    });
  });

  it('tells wrapping, unwrapping and deleting what was wrapped apart', () => {
    const id = newBox();
    const wrapped = chain.run([call(fn('wrap'), [input(0)])], inputs(chain.object(id)));
    const wrapper = wrapped.writes.find((write) => write.change === 'created')!;
    expect(wrapped.writes).toContainEqual({ change: 'wrapped', id });
    const unwrapped = chain.run(
      [call(fn('unwrap'), [input(0)]), transfer([result(0)], input(1))],
      inputs(chain.object(wrapper.id), BOB),
    );
    expect(unwrapped.writes).toContainEqual({ change: 'deleted', id: wrapper.id });
    expect(unwrapped.writes).toContainEqual(
      expect.objectContaining({ change: 'unwrapped', id, owner: { kind: 'address', address: BOB } }),
    );
    const again = chain.run([call(fn('wrap'), [input(0)])], inputs(chain.object(id)));
    const second = again.writes.find((write) => write.change === 'created')!;
    const opened = chain.run([call(fn('open_wrapped'), [input(0)])], inputs(chain.object(second.id)));
    expect(opened.writes).toContainEqual({ change: 'unwrappedThenDeleted', id });
    expect(opened.writes).toHaveLength(2);
  });

  it('leaves no trace of objects that live and die in one transaction', () => {
    const outcome = chain.run([call(fn('new'), [input(0)]), call(fn('open'), [result(0)])], inputs(4n));
    expect(u64Of(returned(outcome, 1).bytes)).toBe(4n);
    expect(outcome.writes).toEqual([]);
  });

  it('lets shared objects be mutated and deleted, but neither given away nor made of old ones', () => {
    const shared = () => chain.object(counterId);
    const counted = chain.run(
      [call(fn('count'), [input(0)]), call(fn('count_of'), [input(0)])],
      inputs(shared()),
    );
    expect(u64Of(returned(counted, 1).bytes)).toBe(1n);
    const readOnly = { inputs: [objectInput(shared(), false)] };
    expect(chain.run([call(fn('count_of'), [input(0)])], readOnly).writes).toEqual([]);
    expect(failureOf([call(fn('count'), [input(0)])], readOnly)).toMatchObject({
      reason: { error: 'InvalidObjectByMutRef' },
    });
    expect(failureOf([call(fn('share_old'), [input(0)])], inputs(chain.object(newBox())))).toMatchObject({
      reason: { kind: 'MoveAbort', code: 0n, location: { module: 'transfer' } },
    });
    const box = chain.run([call(fn('new'), [input(0)]), call(fn('share_old'), [result(0)])], inputs(1n));
    const sharedBox = chain.object(box.writes[0]!.id);
    expect(failureOf([transfer([input(0)], input(1))], inputs(sharedBox, BOB))?.reason.kind).toBe(
      'SharedObjectOperationNotAllowed',
    );
    expect(chain.run([call(fn('open'), [input(0)])], inputs(sharedBox)).writes).toEqual([
      { change: 'deleted', id: sharedBox.id },
    ]);
  });

  it('receives what was sent to an object, and nothing else', () => {
    const parent = newBox();
    const sent = newBox(8n, parent);
    const receive = [call(fn('receive_box'), [input(0), input(1)]), transfer([result(0)], input(2))];
    const run = (ticket: MoveObject) => ({
      inputs: [
        objectInput(chain.object(parent)),
        { kind: 'receiving' as const, object: ticket },
        pure(bcs.Address, BOB),
      ],
    });
    expect(failureOf(receive, run(chain.object(newBox(1n, BOB))))?.reason.kind).toBe('MoveAbort');
    const outcome = chain.run(receive, run(chain.object(sent)));
    expect(outcome.writes).toContainEqual(
      expect.objectContaining({ change: 'mutated', id: sent, owner: { kind: 'address', address: BOB } }),
    );
  });
});

describe('dynamic fields', () => {
  it('have the id that the SDK derives, belong to their parent, and persist', () => {
    const id = newBox();
    const put = chain.run(
      [call(fn('put'), [input(0), input(1), input(2)])],
      inputs(chain.object(id), 7n, 70n),
    );
    const fieldId = deriveDynamicFieldID(id, 'u64', bcs.u64().serialize(7n).toBytes());
    expect(put.writes).toContainEqual(
      expect.objectContaining({
        change: 'created',
        id: fieldId,
        type: `${SUI}::dynamic_field::Field<u64,u64>`,
        owner: { kind: 'object', address: id },
      }),
    );
    const added = chain.run(
      [call(fn('add_to'), [input(0), input(1), input(2)])],
      inputs(chain.object(id), 7n, 1n),
    );
    expect(added.writes).toContainEqual(expect.objectContaining({ change: 'mutated', id: fieldId }));
    const read = chain.run([call(fn('field'), [input(0), input(1)])], inputs(chain.object(id), 7n));
    expect(u64Of(returned(read).bytes)).toBe(71n);
    expect(read.writes.map((write) => write.id)).toEqual([id]);
    const same = chain.run(
      [call(fn('add_to'), [input(0), input(1), input(2)])],
      inputs(chain.object(id), 7n, 0n),
    );
    expect(same.writes.map((write) => write.id)).toEqual([id]);
    const retaken = chain.run([call(fn('retake'), [input(0), input(1)])], inputs(chain.object(id), 7n));
    expect(retaken.writes).toContainEqual(expect.objectContaining({ change: 'mutated', id: fieldId }));
    const taken = chain.run([call(fn('take'), [input(0), input(1)])], inputs(chain.object(id), 7n));
    expect(u64Of(returned(taken).bytes)).toBe(72n);
    expect(taken.writes).toContainEqual({ change: 'deleted', id: fieldId });
  });

  it('abort with the codes of the framework when taken, absent or of another type', () => {
    const id = newBox();
    const box = () => chain.object(id);
    chain.run([call(fn('put'), [input(0), input(1), input(1)])], inputs(box(), 1n));
    const codeOf = (name: string, ...args: bigint[]) => {
      const positions = [0, ...args.map((_, i) => i + 1)].map(input);
      const reason = failureOf([call(fn(name), positions)], inputs(box(), ...args))?.reason;
      return reason?.kind === 'MoveAbort' ? [reason.location.module, reason.code] : reason;
    };
    expect(codeOf('put', 1n, 1n)).toEqual(['dynamic_field', 0n]);
    expect(codeOf('field', 2n)).toEqual(['dynamic_field', 1n]);
    expect(codeOf('field_as_bool', 1n)).toEqual(['dynamic_field', 2n]);
  });
});

describe('arguments', () => {
  it('passes results and nested results on, and refuses indices that do not exist', () => {
    const chained = chain.run([call(fn('potato'), [input(0)]), call(fn('eat'), [nested(0, 0)])], inputs(6n));
    expect(u64Of(returned(chained, 1).bytes)).toBe(6n);
    const errorOf = (argument: Argument) => {
      const reason = failureOf(
        [call(fn('potato'), [input(0)]), call(fn('eat'), [argument])],
        inputs(6n),
      )?.reason;
      return reason?.kind === 'CommandArgumentError' ? reason.error : reason;
    };
    expect(errorOf(result(0))).toBe('InvalidResultArity');
    expect(errorOf(result(1))).toBe('IndexOutOfBounds');
    expect(errorOf(nested(0, 2))).toBe('SecondaryIndexOutOfBounds');
    expect(errorOf(input(3))).toBe('IndexOutOfBounds');
    expect(errorOf(nested(0, 1))).toBe('TypeMismatch');
  });

  it('demands that hot potatoes are consumed', () => {
    expect(failureOf([call(fn('potato'), [input(0)])], inputs(6n))).toEqual({
      command: undefined,
      reason: { kind: 'UnusedValueWithoutDrop', result: 0, secondary: 0 },
    });
  });

  it('refuses values that are used twice or of another type', () => {
    const box = chain.object(newBox());
    const open = call(fn('open'), [input(0)]);
    expect(failureOf([open, open], inputs(box))).toMatchObject({
      command: 1,
      reason: { error: 'InvalidValueUsage' },
    });
    expect(failureOf([open], inputs(chain.object(counterId)))).toMatchObject({
      reason: { error: 'TypeMismatch' },
    });
    expect(failureOf([open], inputs(1n))).toMatchObject({ reason: { error: 'InvalidUsageOfPureArg' } });
  });

  it('decodes pure bytes strictly by the parameter type', () => {
    const args = (name: Uint8Array, maybe: Uint8Array = bcs.option(bcs.u8()).serialize(3).toBytes()) => ({
      inputs: [
        { kind: 'pure' as const, bytes: name },
        { kind: 'pure' as const, bytes: maybe },
        pure(bcs.Address, BOB),
      ],
    });
    const names = [call(fn('names'), [input(0), input(1), input(2)])];
    const text = bcs.string().serialize('grüße').toBytes();
    const good = chain.run(names, args(text));
    expect(returned(good).type).toBe(`${STD}::string::String`);
    expect(bcs.string().parse(returned(good).bytes)).toBe('grüße');
    expect(returned(good, 0, 1).type).toBe(`${STD}::option::Option<u8>`);
    const errorOf = (...bytes: [Uint8Array, Uint8Array?]) => failureOf(names, args(...bytes))?.reason;
    expect(errorOf(Uint8Array.of(2, 0xc3, 0x28))).toMatchObject({ argument: 0, error: 'InvalidBCSBytes' });
    expect(errorOf(Uint8Array.of(...text, 0))).toMatchObject({ argument: 0, error: 'InvalidBCSBytes' });
    expect(errorOf(text, Uint8Array.of(2, 1, 1))).toMatchObject({ argument: 1, error: 'InvalidBCSBytes' });
    expect(errorOf(text, Uint8Array.of(0x80, 0))).toMatchObject({ argument: 1, error: 'InvalidBCSBytes' });
  });

  it('keeps private entry functions from what depends on a hot potato', () => {
    const potato = call(fn('potato'), [input(0)]);
    const entry = call(fn('private_entry'), [nested(0, 1)]);
    const eat = call(fn('eat'), [nested(0, 0)]);
    expect(failureOf([potato, entry, eat], inputs(1n))?.reason).toMatchObject({
      error: 'InvalidArgumentToPrivateEntryFunction',
    });
    expect(chain.run([potato, eat, entry], inputs(1n)).failure).toBeUndefined();
  });

  it('checks arity, visibility, returned references and type arguments', () => {
    const kindOf = (command: Command) =>
      failureOf([command], inputs(1n, chain.object(newBox())))?.reason.kind;
    expect(kindOf(call(fn('hidden')))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(fn('friendly')))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(fn('init')))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(`${SUI}::event::emit`, [input(0)], ['u64']))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(fn('nothing')))).toBe('FunctionNotFound');
    expect(kindOf(call(`${BOB}::box::new`))).toBe('FunctionNotFound');
    expect(kindOf(call(fn('eat')))).toBe('ArityMismatch');
    expect(kindOf(call(fn('reference'), [input(1)]))).toBe('InvalidPublicFunctionReturnType');
    expect(kindOf(call(fn('identity'), [input(0)]))).toBe('TypeArityMismatch');
    expect(kindOf(call(fn('identity'), [input(0)], ['0x2::nothing::T']))).toBe('TypeArgumentError');
    expect(kindOf(call(fn('needs_store'), [input(0)], [`${demo}::box::Potato`]))).toBe('TypeArgumentError');
    const good = chain.run([call(fn('identity'), [input(0)], ['u64'])], inputs(1n));
    expect(returned(good).type).toBe('u64');
  });

  it('makes vectors of values and of objects', () => {
    const values: Command = {
      $kind: 'MakeMoveVec',
      MakeMoveVec: { type: 'u64', elements: [input(0), input(1)] },
    };
    const summed = chain.run([values, call(fn('sum'), [result(0)])], inputs(3n, 4n));
    expect(u64Of(returned(summed, 1).bytes)).toBe(7n);
    const objects: Command = {
      $kind: 'MakeMoveVec',
      MakeMoveVec: { type: null, elements: [input(0), input(1)] },
    };
    const boxes = inputs(chain.object(newBox(1n)), chain.object(newBox(2n)));
    expect(u64Of(returned(chain.run([objects, call(fn('total'), [result(0)])], boxes), 1).bytes)).toBe(3n);
    expect(failureOf([objects], inputs(1n, 2n))?.reason.kind).toBe('CommandArgumentError');
  });
});

describe('coins', () => {
  const coinBalance = bcs.struct('Coin', { id: bcs.Address, balance: bcs.u64() });
  const balanceOf = (id: string) => BigInt(coinBalance.parse(chain.object(id).contents).balance);
  const id = (digit: string) => `0x${digit.repeat(64)}`;

  it('splits the gas coin, gives the parts away and keeps the rest', () => {
    const gas = chain.addCoin(id('7'), ALICE, 100n);
    const split: Command = {
      $kind: 'SplitCoins',
      SplitCoins: { coin: gasCoin, amounts: [input(0), input(1)] },
    };
    const outcome = chain.run([split, transfer([nested(0, 0), nested(0, 1)], input(2))], {
      ...inputs(30n, 20n, BOB),
      gasCoin: gas,
    });
    expect(outcome.failure).toBeUndefined();
    const created = outcome.writes
      .filter((write) => write.change === 'created')
      .map((write) => balanceOf(write.id));
    expect(created).toEqual([30n, 20n]);
    expect(balanceOf(gas.id)).toBe(50n);
  });

  it('merges coins into one and deletes the others', () => {
    const [first, second] = [chain.addCoin(id('8'), ALICE, 5n), chain.addCoin(id('9'), ALICE, 6n)];
    const merge: Command = {
      $kind: 'MergeCoins',
      MergeCoins: { destination: input(0), sources: [input(1)] },
    };
    const outcome = chain.run([merge], inputs(first, second));
    expect(outcome.writes).toContainEqual({ change: 'deleted', id: second.id });
    expect(balanceOf(first.id)).toBe(11n);
    const itself: Command = {
      $kind: 'MergeCoins',
      MergeCoins: { destination: input(0), sources: [input(0)] },
    };
    expect(failureOf([itself], inputs(chain.object(first.id)))?.reason).toMatchObject({
      error: 'InvalidValueUsage',
    });
  });

  it('gives the gas coin away whole only by TransferObjects, and never more than there is', () => {
    const gas = chain.addCoin(id('a'), ALICE, 10n);
    const given = chain.run([transfer([gasCoin], input(0))], { ...inputs(BOB), gasCoin: gas });
    expect(given.writes).toMatchObject([{ change: 'mutated', id: gas.id, owner: { address: BOB } }]);
    const other = chain.addCoin(id('b'), ALICE, 10n);
    const identity = call(fn('identity'), [gasCoin], [other.type]);
    const refused = chain.run([identity], { gasCoin: other });
    expect(refused.failure?.reason).toMatchObject({ error: 'InvalidGasCoinUsage' });
    expect(refused.writes).toMatchObject([{ change: 'mutated', id: other.id, contents: other.contents }]);
    const split: Command = { $kind: 'SplitCoins', SplitCoins: { coin: gasCoin, amounts: [input(0)] } };
    expect(chain.run([split], { ...inputs(11n), gasCoin: other }).failure?.reason.kind).toBe(
      'InsufficientCoinBalance',
    );
  });
});

describe('failures', () => {
  it('names the place of an abort by storage id, module, function and instruction', () => {
    expect(failureOf([call(fn('fail'))])).toEqual({
      command: 0,
      reason: {
        kind: 'MoveAbort',
        code: 42n,
        location: {
          packageId: demo,
          module: 'box',
          functionIndex: expect.any(Number),
          functionName: 'fail',
          instruction: 1,
        },
      },
    });
    expect(
      failureOf([call(fn('overflow'), [input(0)])], { inputs: [pure(bcs.u8(), 255)] })?.reason,
    ).toMatchObject({
      kind: 'MovePrimitiveRuntimeError',
      location: { functionName: 'overflow' },
    });
  });

  it('ends endless loops by gas and endless recursion by depth', () => {
    const endless = chain.run([call(fn('forever'))]);
    expect(endless.failure?.reason.kind).toBe('InsufficientGas');
    expect(endless.computationUnits).toBe(5_000_000n);
    expect(failureOf([call(fn('recurse'), [input(0)])], inputs(0n))?.reason.kind).toBe(
      'MovePrimitiveRuntimeError',
    );
  });
});
