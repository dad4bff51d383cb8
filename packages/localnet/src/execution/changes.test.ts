import { bcs } from '@mysten/sui/bcs';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import type { MoveObject } from '../state/objects.ts';
import { SUI } from '../vm/framework.ts';
import { BoxChain, inputs, returned, u64Of } from './testing/box.ts';
import { ALICE, BOB, call, input, objectInput, pure, result, transfer } from './testing/commands.ts';

let boxes: BoxChain;

beforeAll(async () => {
  boxes = await BoxChain.open();
});

describe('objects', () => {
  test('creates, mutates by reference and deletes', () => {
    const id = boxes.newBox();
    const mutated = boxes.run([call(boxes.fn('set'), [input(0), input(1)])], inputs(boxes.object(id), 9n));
    expect(mutated.writes).toMatchObject([
      { change: 'mutated', id, owner: { kind: 'address', address: ALICE } },
    ]);
    expect(mutated.events).toMatchObject([
      { packageId: boxes.packageId, module: 'box', sender: ALICE, type: `${boxes.packageId}::box::Opened` },
    ]);
    const opened = boxes.run([call(boxes.fn('open'), [input(0)])], inputs(boxes.object(id)));
    expect(u64Of(returned(opened).bytes)).toBe(9n);
    expect(opened.writes).toEqual([{ change: 'deleted', id }]);
  });

  test('counts an owned input as mutated even when it is only read, and an immutable one never', () => {
    const id = boxes.newBox();
    const read = boxes.run([call(boxes.fn('value'), [input(0)])], inputs(boxes.object(id)));
    expect(read.writes).toMatchObject([{ change: 'mutated', id }]);
    boxes.run([call(boxes.fn('freeze_box'), [input(0)])], inputs(boxes.object(id)));
    const frozen = boxes.object(id);
    expect(frozen.owner).toEqual({ kind: 'immutable' });
    expect(boxes.run([call(boxes.fn('value'), [input(0)])], inputs(frozen)).writes).toEqual([]);
    expect(boxes.failureOf([call(boxes.fn('set'), [input(0), input(1)])], inputs(frozen, 1n))).toMatchObject({
      reason: { kind: 'CommandArgumentError', argument: 0, error: 'InvalidObjectByMutRef' },
    });
    expect(boxes.failureOf([call(boxes.fn('open'), [input(0)])], inputs(frozen))).toMatchObject({
      reason: { error: 'InvalidObjectByValue' },
    });
  });

  test('tells wrapping, unwrapping and deleting what was wrapped apart', () => {
    const id = boxes.newBox();
    const wrapped = boxes.run([call(boxes.fn('wrap'), [input(0)])], inputs(boxes.object(id)));
    const wrapper = wrapped.writes.find((write) => write.change === 'created')!;
    expect(wrapped.writes).toContainEqual({ change: 'wrapped', id });
    const unwrapped = boxes.run(
      [call(boxes.fn('unwrap'), [input(0)]), transfer([result(0)], input(1))],
      inputs(boxes.object(wrapper.id), BOB),
    );
    expect(unwrapped.writes).toContainEqual({ change: 'deleted', id: wrapper.id });
    expect(unwrapped.writes).toContainEqual(
      expect.objectContaining({ change: 'unwrapped', id, owner: { kind: 'address', address: BOB } }),
    );
    const again = boxes.run([call(boxes.fn('wrap'), [input(0)])], inputs(boxes.object(id)));
    const second = again.writes.find((write) => write.change === 'created')!;
    const opened = boxes.run([call(boxes.fn('open_wrapped'), [input(0)])], inputs(boxes.object(second.id)));
    expect(opened.writes).toContainEqual({ change: 'unwrappedThenDeleted', id });
    expect(opened.writes).toHaveLength(2);
  });

  test('leaves no trace of objects that live and die in one transaction', () => {
    const outcome = boxes.run(
      [call(boxes.fn('new'), [input(0)]), call(boxes.fn('open'), [result(0)])],
      inputs(4n),
    );
    expect(u64Of(returned(outcome, 1).bytes)).toBe(4n);
    expect(outcome.writes).toEqual([]);
  });

  test('lets shared objects be mutated and deleted, but neither given away nor made of old ones', () => {
    const shared = () => boxes.object(boxes.counterId);
    const counted = boxes.run(
      [call(boxes.fn('count'), [input(0)]), call(boxes.fn('count_of'), [input(0)])],
      inputs(shared()),
    );
    expect(u64Of(returned(counted, 1).bytes)).toBe(1n);
    const readOnly = { inputs: [objectInput(shared(), false)] };
    expect(boxes.run([call(boxes.fn('count_of'), [input(0)])], readOnly).writes).toEqual([]);
    expect(boxes.failureOf([call(boxes.fn('count'), [input(0)])], readOnly)).toMatchObject({
      reason: { error: 'InvalidObjectByMutRef' },
    });
    expect(
      boxes.failureOf([call(boxes.fn('share_old'), [input(0)])], inputs(boxes.object(boxes.newBox()))),
    ).toMatchObject({
      reason: { kind: 'MoveAbort', code: 0n, location: { module: 'transfer' } },
    });
    const box = boxes.run(
      [call(boxes.fn('new'), [input(0)]), call(boxes.fn('share_old'), [result(0)])],
      inputs(1n),
    );
    const sharedBox = boxes.object(box.writes[0]!.id);
    expect(boxes.failureOf([transfer([input(0)], input(1))], inputs(sharedBox, BOB))?.reason.kind).toBe(
      'SharedObjectOperationNotAllowed',
    );
    expect(boxes.run([call(boxes.fn('open'), [input(0)])], inputs(sharedBox)).writes).toEqual([
      { change: 'deleted', id: sharedBox.id },
    ]);
  });

  test('receives what was sent to an object, and nothing else', () => {
    const parent = boxes.newBox();
    const sent = boxes.newBox(8n, parent);
    const receive = [call(boxes.fn('receive_box'), [input(0), input(1)]), transfer([result(0)], input(2))];
    const run = (ticket: MoveObject) => ({
      inputs: [
        objectInput(boxes.object(parent)),
        { kind: 'receiving' as const, object: ticket },
        pure(bcs.Address, BOB),
      ],
    });
    expect(boxes.failureOf(receive, run(boxes.object(boxes.newBox(1n, BOB))))?.reason.kind).toBe('MoveAbort');
    const outcome = boxes.run(receive, run(boxes.object(sent)));
    expect(outcome.writes).toContainEqual(
      expect.objectContaining({ change: 'mutated', id: sent, owner: { kind: 'address', address: BOB } }),
    );
  });
});

describe('dynamic fields', () => {
  test('have the id that the SDK derives, belong to their parent, and persist', () => {
    const id = boxes.newBox();
    const put = boxes.run(
      [call(boxes.fn('put'), [input(0), input(1), input(2)])],
      inputs(boxes.object(id), 7n, 70n),
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
    const added = boxes.run(
      [call(boxes.fn('add_to'), [input(0), input(1), input(2)])],
      inputs(boxes.object(id), 7n, 1n),
    );
    expect(added.writes).toContainEqual(expect.objectContaining({ change: 'mutated', id: fieldId }));
    const read = boxes.run([call(boxes.fn('field'), [input(0), input(1)])], inputs(boxes.object(id), 7n));
    expect(u64Of(returned(read).bytes)).toBe(71n);
    expect(read.writes.map((write) => write.id)).toEqual([id]);
    const same = boxes.run(
      [call(boxes.fn('add_to'), [input(0), input(1), input(2)])],
      inputs(boxes.object(id), 7n, 0n),
    );
    expect(same.writes.map((write) => write.id)).toEqual([id]);
    const retaken = boxes.run([call(boxes.fn('retake'), [input(0), input(1)])], inputs(boxes.object(id), 7n));
    expect(retaken.writes).toContainEqual(expect.objectContaining({ change: 'mutated', id: fieldId }));
    const taken = boxes.run([call(boxes.fn('take'), [input(0), input(1)])], inputs(boxes.object(id), 7n));
    expect(u64Of(returned(taken).bytes)).toBe(72n);
    expect(taken.writes).toContainEqual({ change: 'deleted', id: fieldId });
  });

  test('abort with the codes of the framework when taken, absent or of another type', () => {
    const id = boxes.newBox();
    const box = () => boxes.object(id);
    boxes.run([call(boxes.fn('put'), [input(0), input(1), input(1)])], inputs(box(), 1n));
    const codeOf = (name: string, ...args: bigint[]) => {
      const positions = [0, ...args.map((_, i) => i + 1)].map(input);
      const reason = boxes.failureOf([call(boxes.fn(name), positions)], inputs(box(), ...args))?.reason;
      return reason?.kind === 'MoveAbort' ? [reason.location.module, reason.code] : reason;
    };
    expect(codeOf('put', 1n, 1n)).toEqual(['dynamic_field', 0n]);
    expect(codeOf('field', 2n)).toEqual(['dynamic_field', 1n]);
    expect(codeOf('field_as_bool', 1n)).toEqual(['dynamic_field', 2n]);
  });
});

describe('dynamic object fields', () => {
  test('keep the object an object, owned by the field, which its parent owns', () => {
    const [id, childId] = [boxes.newBox(), boxes.newBox(3n)];
    const nest = [call(boxes.fn('nest'), [input(0), input(1)])];
    const nested = boxes.run(nest, inputs(boxes.object(id), boxes.object(childId)));
    const field = nested.writes.find((write) => write.change === 'created')!;
    expect(field).toMatchObject({ owner: { kind: 'object', address: id } });
    const child = { change: 'mutated', id: childId, owner: { kind: 'object', address: field.id } };
    expect(nested.writes).toContainEqual(expect.objectContaining(child));

    const value = () => {
      const outcome = boxes.run([call(boxes.fn('nested_value'), [input(0)])], inputs(boxes.object(id)));
      return u64Of(returned(outcome).bytes);
    };
    expect(value()).toBe(3n);
    const set = boxes.run([call(boxes.fn('set_nested'), [input(0), input(1)])], inputs(boxes.object(id), 4n));
    expect(set.writes.map((write) => [write.change, write.id]).sort()).toEqual(
      [
        ['mutated', childId],
        ['mutated', id],
      ].sort(),
    );
    expect(value()).toBe(4n);

    const unnest = [call(boxes.fn('unnest'), [input(0)]), transfer([result(0)], input(1))];
    const unnested = boxes.run(unnest, inputs(boxes.object(id), BOB));
    expect(unnested.writes).toContainEqual({ change: 'deleted', id: field.id });
    expect(boxes.object(childId).owner).toEqual({ kind: 'address', address: BOB });
  });
});
