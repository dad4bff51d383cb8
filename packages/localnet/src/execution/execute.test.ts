import { bcs } from '@mysten/sui/bcs';
import { beforeAll, describe, expect, test } from 'vitest';
import { BoxChain, inputs } from './testing/box.ts';
import { call, input, pure } from './testing/commands.ts';

let boxes: BoxChain;

beforeAll(async () => {
  boxes = await BoxChain.open();
});

describe('failures', () => {
  test('names the place of an abort by storage id, module, function and instruction', () => {
    expect(boxes.failureOf([call(boxes.fn('fail'))])).toEqual({
      command: 0,
      reason: {
        kind: 'MoveAbort',
        code: 42n,
        location: {
          packageId: boxes.packageId,
          module: 'box',
          functionIndex: expect.any(Number),
          functionName: 'fail',
          instruction: 1,
        },
      },
    });
    expect(
      boxes.failureOf([call(boxes.fn('overflow'), [input(0)])], { inputs: [pure(bcs.u8(), 255)] })?.reason,
    ).toMatchObject({
      kind: 'MovePrimitiveRuntimeError',
      location: { functionName: 'overflow' },
    });
  });

  test('ends endless loops by gas and endless recursion by depth', () => {
    const endless = boxes.run([call(boxes.fn('forever'))]);
    expect(endless.failure?.reason.kind).toBe('InsufficientGas');
    expect(endless.computationUnits).toBe(5_000_000n);
    expect(boxes.failureOf([call(boxes.fn('recurse'), [input(0)])], inputs(0n))?.reason.kind).toBe(
      'MovePrimitiveRuntimeError',
    );
  });

  test('bounds events', () => {
    const shout = (times: bigint) => boxes.run([call(boxes.fn('shout'), [input(0)])], inputs(times));
    expect(shout(1024n).events).toHaveLength(1024);
    expect(shout(1025n).failure?.reason.kind).toBe('MovePrimitiveRuntimeError');
  });
});
