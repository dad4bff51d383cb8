import { bcs } from '@mysten/sui/bcs';
import { beforeAll, describe, expect, test } from 'vitest';
import { STD, SUI } from '../vm/framework.ts';
import { BoxChain, inputs, returned, u64Of } from './testing/box.ts';
import { BOB, call, input, nested, pure, result } from './testing/commands.ts';
import type { Argument, Command, ExecutionInput } from './types.ts';

let boxes: BoxChain;

beforeAll(async () => {
  boxes = await BoxChain.open();
});

describe('arguments', () => {
  test('passes results and nested results on, and refuses indices that do not exist', () => {
    const chained = boxes.run(
      [call(boxes.fn('potato'), [input(0)]), call(boxes.fn('eat'), [nested(0, 0)])],
      inputs(6n),
    );
    expect(u64Of(returned(chained, 1).bytes)).toBe(6n);
    const errorOf = (argument: Argument) => {
      const reason = boxes.failureOf(
        [call(boxes.fn('potato'), [input(0)]), call(boxes.fn('eat'), [argument])],
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

  test('demands that hot potatoes are consumed', () => {
    expect(boxes.failureOf([call(boxes.fn('potato'), [input(0)])], inputs(6n))).toEqual({
      command: undefined,
      reason: { kind: 'UnusedValueWithoutDrop', result: 0, secondary: 0 },
    });
  });

  test('refuses values that are used twice or of another type', () => {
    const box = boxes.object(boxes.newBox());
    const open = call(boxes.fn('open'), [input(0)]);
    expect(boxes.failureOf([open, open], inputs(box))).toMatchObject({
      command: 1,
      reason: { error: 'ArgumentWithoutValue' },
    });
    expect(boxes.failureOf([open], inputs(boxes.object(boxes.counterId)))).toMatchObject({
      reason: { error: 'TypeMismatch' },
    });
    expect(boxes.failureOf([open], inputs(1n))).toMatchObject({ reason: { error: 'InvalidUsageOfPureArg' } });
  });

  test('borrows a value once mutably, and copies of it are taken all the same', () => {
    const reasonOf = (name: string) =>
      boxes.failureOf([call(boxes.fn(name), [input(0), input(0)])], inputs(4n))?.reason;
    expect(reasonOf('changed_and_read')).toMatchObject({ argument: 0, error: 'InvalidReferenceArgument' });
    expect(reasonOf('read_and_changed')).toMatchObject({ argument: 1, error: 'InvalidReferenceArgument' });
    const both = boxes.run([call(boxes.fn('changed_and_taken'), [input(0), input(0)])], inputs(4n));
    expect(u64Of(returned(both).bytes)).toBe(4n);
    const box = boxes.object(boxes.newBox());
    const moved = boxes.failureOf([call(boxes.fn('read_and_opened'), [input(0), input(0)])], inputs(box));
    expect(moved?.reason).toMatchObject({ argument: 1, error: 'CannotMoveBorrowedValue' });
  });

  test('leaves no value without drop behind: the last use of what can be copied takes it', () => {
    const stamp = call(boxes.fn('stamp'));
    const [look, tear] = [call(boxes.fn('look'), [result(0)]), call(boxes.fn('tear'), [result(0)])];
    const left = { command: undefined, reason: { kind: 'UnusedValueWithoutDrop', result: 0, secondary: 0 } };
    expect(boxes.run([stamp, tear]).failure).toBeUndefined();
    expect(boxes.run([stamp, tear, look, tear]).failure).toBeUndefined();
    expect(boxes.failureOf([stamp, tear, look])).toEqual(left);
    const borrowed = call(boxes.fn('look_and_tear'), [result(0), result(0)]);
    expect(boxes.failureOf([stamp, borrowed])).toEqual(left);
  });

  test('gives a function the context wherever it takes it, once mutably or often immutably', () => {
    const made = boxes.run(
      [call(boxes.fn('new_by'), [input(0)]), call(boxes.fn('open'), [result(0)])],
      inputs(8n),
    );
    expect(u64Of(returned(made, 1).bytes)).toBe(8n);
    expect(u64Of(returned(boxes.run([call(boxes.fn('read_context'), [input(0)])], inputs(8n))).bytes)).toBe(
      8n,
    );
    const wrong = (argument: number) => ({
      kind: 'CommandArgumentError',
      argument,
      error: 'InvalidTxContext',
    });
    const reasonOf = (command: Command) => boxes.failureOf([command], inputs(8n))?.reason;
    expect(reasonOf(call(boxes.fn('two_contexts'), [input(0)]))).toEqual(wrong(2));
    expect(reasonOf(call(boxes.fn('mixed_contexts')))).toEqual(wrong(1));
    const context = `${SUI}::tx_context::TxContext`;
    expect(reasonOf(call(boxes.fn('identity'), [input(0)], [context]))).toEqual(wrong(0));
  });

  test('aborts where a transaction itself takes from an empty vector', () => {
    const commands = [call(`${STD}::vector::pop_back`, [input(0)], ['u64'])];
    const empty = { inputs: [pure(bcs.vector(bcs.u64()), [])] };
    expect(boxes.failureOf(commands, empty)?.reason).toMatchObject({
      kind: 'MoveAbort',
      code: 2n,
      location: { packageId: STD, module: 'vector', functionName: 'pop_back' },
    });
  });

  test('decodes pure bytes strictly by the parameter type', () => {
    const args = (name: Uint8Array, maybe: Uint8Array = bcs.option(bcs.u8()).serialize(3).toBytes()) => ({
      inputs: [
        { kind: 'pure' as const, bytes: name },
        { kind: 'pure' as const, bytes: maybe },
        pure(bcs.Address, BOB),
      ],
    });
    const names = [call(boxes.fn('names'), [input(0), input(1), input(2)])];
    const text = bcs.string().serialize('grüße').toBytes();
    const good = boxes.run(names, args(text));
    expect(returned(good).type).toBe(`${STD}::string::String`);
    expect(bcs.string().parse(returned(good).bytes)).toBe('grüße');
    expect(returned(good, 0, 1).type).toBe(`${STD}::option::Option<u8>`);
    const errorOf = (...bytes: [Uint8Array, Uint8Array?]) => boxes.failureOf(names, args(...bytes))?.reason;
    expect(errorOf(Uint8Array.of(2, 0xc3, 0x28))).toMatchObject({ argument: 0, error: 'InvalidBCSBytes' });
    expect(errorOf(Uint8Array.of(...text, 0))).toMatchObject({ argument: 0, error: 'InvalidBCSBytes' });
    expect(errorOf(text, Uint8Array.of(2, 1, 1))).toMatchObject({ argument: 1, error: 'InvalidBCSBytes' });
    expect(errorOf(text, Uint8Array.of(0x80, 0))).toMatchObject({ argument: 1, error: 'InvalidBCSBytes' });
  });

  test('keeps private entry functions from what depends on a hot potato', () => {
    const potato = call(boxes.fn('potato'), [input(0)]);
    const entry = call(boxes.fn('private_entry'), [nested(0, 1)]);
    const eat = call(boxes.fn('eat'), [nested(0, 0)]);
    expect(boxes.failureOf([potato, entry, eat], inputs(1n))?.reason).toMatchObject({
      error: 'InvalidArgumentToPrivateEntryFunction',
    });
    expect(boxes.run([potato, eat, entry], inputs(1n)).failure).toBeUndefined();
  });

  test('keeps values of a clique with a hot potato from private entry functions, until the potato is gone', () => {
    const box = boxes.object(boxes.newBox());
    const lend = call(boxes.fn('lend'), [input(0)]);
    const give = call(boxes.fn('eat'), [result(0)]);
    const spend = call(boxes.fn('spend'), [input(0)]);
    const refused = { kind: 'CommandArgumentError', error: 'InvalidArgumentToPrivateEntryFunction' };
    expect(boxes.failureOf([lend, spend, give], inputs(box))).toEqual({
      command: 1,
      reason: { ...refused, argument: 0 },
    });
    const inPackage = call(boxes.fn('spend_in_package'), [input(0)]);
    expect(boxes.failureOf([lend, inPackage, give], inputs(box))?.reason).toMatchObject(refused);
    const publicly = call(boxes.fn('spend_publicly'), [input(0)]);
    expect(boxes.run([lend, publicly, give], inputs(box)).failure).toBeUndefined();
    const again = boxes.object(box.id);
    expect(boxes.run([lend, give, spend], inputs(again)).failure).toBeUndefined();
  });

  test('lets a private entry function take the last hot potato of a clique, and no other', () => {
    const potato = call(boxes.fn('potato'), [input(0)]);
    const privately = call(boxes.fn('eat_privately'), [nested(0, 0)]);
    expect(boxes.run([potato, privately], inputs(1n)).failure).toBeUndefined();
    const another = call(boxes.fn('potato'), [input(1)]);
    const two = call(boxes.fn('eat_two'), [nested(0, 0), nested(1, 0)]);
    expect(boxes.run([potato, another, two], inputs(1n, 2n)).failure).toBeUndefined();
    // Both came of the same input, and one of them is still hot.
    const same = [potato, potato, privately, call(boxes.fn('eat'), [nested(1, 0)])];
    expect(boxes.failureOf(same, inputs(1n))).toMatchObject({
      command: 2,
      reason: { error: 'InvalidArgumentToPrivateEntryFunction' },
    });
  });

  test('entangles plain inputs that were used with a hot potato', () => {
    const commands = [
      call(boxes.fn('potato'), [input(0)]),
      call(boxes.fn('private_entry'), [input(0)]),
      call(boxes.fn('eat'), [nested(0, 0)]),
    ];
    expect(boxes.failureOf(commands, inputs(1n))).toMatchObject({
      command: 1,
      reason: { error: 'InvalidArgumentToPrivateEntryFunction' },
    });
  });

  test('takes what a shared object by value touched for hot from then on', () => {
    const counter = () => inputs(boxes.object(boxes.counterId));
    const shared = call(boxes.fn('share_again'), [input(0)]);
    expect(boxes.failureOf([shared, call(boxes.fn('private_entry'), [result(0)])], counter())).toMatchObject({
      command: 1,
      reason: { error: 'InvalidArgumentToPrivateEntryFunction' },
    });
    expect(boxes.run([call(boxes.fn('share_privately'), [input(0)])], counter()).failure).toBeUndefined();
  });

  test('demands that the command which takes a shared object by value shares it again or deletes it', () => {
    const counter = inputs(boxes.object(boxes.counterId));
    for (const name of ['hold', 'keep']) {
      const commands = [call(boxes.fn(name), [input(0)]), call(boxes.fn('fail'))];
      expect(boxes.failureOf(commands, counter), name).toEqual({
        command: 0,
        reason: { kind: 'SharedObjectOperationNotAllowed' },
      });
    }
  });

  test('keeps a value of its own for each type that a plain input is used as', () => {
    const text = bcs.string().serialize('why').toBytes();
    const bytes = `vector<u8>`;
    const outcome = boxes.run(
      [
        call(boxes.fn('push'), [input(0)]),
        call(boxes.fn('identity'), [input(0)], [bytes]),
        call(boxes.fn('identity'), [input(0)], [`${STD}::string::String`]),
      ],
      { inputs: [{ kind: 'pure', bytes: text }] },
    );
    const textOf = (command: number) => bcs.string().parse(returned(outcome, command).bytes);
    expect([textOf(1), textOf(2)]).toEqual(['why!', 'why']);
  });

  test('checks arity, visibility, returned references and type arguments', () => {
    const kindOf = (command: Command) =>
      boxes.failureOf([command], inputs(1n, boxes.object(boxes.newBox())))?.reason.kind;
    expect(kindOf(call(boxes.fn('hidden')))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(boxes.fn('friendly')))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(boxes.fn('init')))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(`${SUI}::event::emit`, [input(0)], ['u64']))).toBe('NonEntryFunctionInvoked');
    expect(kindOf(call(boxes.fn('nothing')))).toBe('FunctionNotFound');
    expect(kindOf(call(`${BOB}::box::new`))).toBe('FunctionNotFound');
    expect(kindOf(call(boxes.fn('eat')))).toBe('ArityMismatch');
    expect(kindOf(call(boxes.fn('reference'), [input(1)]))).toBe('InvalidPublicFunctionReturnType');
    expect(kindOf(call(boxes.fn('identity'), [input(0)]))).toBe('VMVerificationOrDeserializationError');
    expect(kindOf(call(boxes.fn('identity'), [input(0)], ['0x2::nothing::T']))).toBe('TypeArgumentError');
    expect(kindOf(call(boxes.fn('needs_store'), [input(0)], [`${boxes.packageId}::box::Potato`]))).toBe(
      'TypeArgumentError',
    );
    const good = boxes.run([call(boxes.fn('identity'), [input(0)], ['u64'])], inputs(1n));
    expect(returned(good).type).toBe('u64');
  });

  test('makes vectors of values and of objects', () => {
    const values: Command = {
      $kind: 'MakeMoveVec',
      MakeMoveVec: { type: 'u64', elements: [input(0), input(1)] },
    };
    const summed = boxes.run([values, call(boxes.fn('sum'), [result(0)])], inputs(3n, 4n));
    expect(u64Of(returned(summed, 1).bytes)).toBe(7n);
    const objects: Command = {
      $kind: 'MakeMoveVec',
      MakeMoveVec: { type: null, elements: [input(0), input(1)] },
    };
    const both = inputs(boxes.object(boxes.newBox(1n)), boxes.object(boxes.newBox(2n)));
    expect(u64Of(returned(boxes.run([objects, call(boxes.fn('total'), [result(0)])], both), 1).bytes)).toBe(
      3n,
    );
    expect(boxes.failureOf([objects], inputs(1n, 2n))?.reason.kind).toBe('CommandArgumentError');
  });
});

describe('a simulation without checks', () => {
  const unchecked = (commands: Command[], options: Partial<ExecutionInput> = {}) =>
    boxes.run(commands, { ...options, unchecked: true });

  test('calls private functions, and no init', () => {
    for (const name of ['hidden', 'friendly']) {
      expect(boxes.failureOf([call(boxes.fn(name))])?.reason.kind).toBe('NonEntryFunctionInvoked');
      expect(unchecked([call(boxes.fn(name))]).failure).toBeUndefined();
    }
    expect(unchecked([call(boxes.fn('init'))]).failure?.reason.kind).toBe('NonEntryFunctionInvoked');
  });

  test('lets values be left over', () => {
    const outcome = unchecked([call(boxes.fn('potato'), [input(0)])], inputs(6n));
    expect(outcome.failure).toBeUndefined();
    expect(u64Of(returned(outcome, 0, 0).bytes)).toBe(6n);
  });

  test('reads the references that a function returns, for later commands too', () => {
    const box = boxes.object(boxes.newBox(41n));
    const commands = [call(boxes.fn('reference'), [input(0)]), call(boxes.fn('private_entry'), [result(0)])];
    expect(boxes.failureOf(commands, inputs(box))?.reason).toMatchObject({
      kind: 'InvalidPublicFunctionReturnType',
    });
    const outcome = unchecked(commands, inputs(box));
    expect(returned(outcome)).toEqual({ type: 'u64', bytes: bcs.u64().serialize(41).toBytes() });
    expect(u64Of(returned(outcome, 1).bytes)).toBe(41n);
  });

  test('takes bytes for a value of any type', () => {
    const bytes = bcs
      .struct('Box', { id: bcs.Address, value: bcs.u64() })
      .serialize({ id: BOB, value: 9 })
      .toBytes();
    const value = [call(boxes.fn('value'), [input(0)])];
    const options: Partial<ExecutionInput> = { inputs: [{ kind: 'pure', bytes }] };
    expect(boxes.failureOf(value, options)?.reason).toMatchObject({ error: 'InvalidUsageOfPureArg' });
    expect(u64Of(returned(unchecked(value, options)).bytes)).toBe(9n);
  });

  test('still needs the right types and enough coins', () => {
    expect(
      unchecked([call(boxes.fn('value'), [input(0)])], inputs(boxes.object(boxes.counterId))).failure,
    ).toMatchObject({
      reason: { error: 'TypeMismatch' },
    });
    expect(unchecked([call(boxes.fn('fail'))]).failure?.reason).toMatchObject({
      kind: 'MoveAbort',
      code: 42n,
    });
  });
});
