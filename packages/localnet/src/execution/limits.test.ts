import { bcs } from '@mysten/sui/bcs';
import { beforeAll, expect, test } from 'vitest';
import { BoxChain, inputs } from './testing/box.ts';
import { ALICE, call, gasCoin, input, nested, pure, result, transfer } from './testing/commands.ts';
import type { Command } from './types.ts';

let boxes: BoxChain;

beforeAll(async () => {
  boxes = await BoxChain.open();
});

const huge = (count: number) => {
  const made = Array.from({ length: count }, () => call(boxes.fn('huge'), [input(0)]));
  return [
    ...made,
    transfer(
      made.map((_, index) => result(index)),
      input(1),
    ),
  ];
};

/** Objects of sixteen times these bytes and some 70 more. */
const sized = (bytes: number) => ({
  inputs: [pure(bcs.byteVector(), new Uint8Array(bytes)), pure(bcs.Address, ALICE)],
});

test('one object may be 250 KiB, and all that a transaction writes five million bytes', () => {
  expect(boxes.run(huge(1), sized(15_990)).failure).toBeUndefined();
  expect(boxes.failureOf(huge(1), sized(16_000))?.reason).toMatchObject({
    kind: 'MoveObjectTooBig',
    maxSize: 256_000,
  });
  expect(boxes.run(huge(19), sized(15_990)).failure).toBeUndefined();
  expect(boxes.failureOf(huge(20), sized(15_990))?.reason).toMatchObject({
    kind: 'WrittenObjectsTooLarge',
    maxSize: 5_000_000,
  });
});

test('a transaction makes, deletes and gives away at most 2048 objects', () => {
  const coin = boxes.chain.addCoin(`0x${'c'.repeat(64)}`, ALICE, 1_000_000n);
  const options = (gas = coin) => ({
    inputs: [pure(bcs.u64(), 1), pure(bcs.Address, ALICE)],
    gasCoin: gas,
    maxComputationUnits: 1_000_000_000n,
  });
  const split = (count: number): Command => ({
    $kind: 'SplitCoins',
    SplitCoins: { coin: gasCoin, amounts: new Array(count).fill(input(0)) },
  });
  const give = (command: number, count: number) =>
    transfer(
      Array.from({ length: count }, (_, index) => nested(command, index)),
      input(1),
    );
  const most = [split(500), split(500), split(500), split(500), split(48)];
  const given = most.map((_, index) => give(index, index === 4 ? 48 : 500));
  expect(boxes.run([...most, ...given], options()).failure).toBeUndefined();
  const after = boxes.object(coin.id);
  const limit = { kind: 'MovePrimitiveRuntimeError', message: 'more than 2048 new ids' };
  const { failure } = boxes.run([...most, split(1), ...given], options(after));
  expect(failure).toMatchObject({ command: 5, reason: limit });
});

test('code that never ends, or calls itself without end, ends with the transaction', () => {
  expect(boxes.run([call(boxes.fn('forever'))]).failure?.reason).toEqual({ kind: 'InsufficientGas' });
  expect(boxes.run([call(boxes.fn('recurse'), [input(0)])], inputs(1n)).failure?.reason).toMatchObject({
    kind: 'MovePrimitiveRuntimeError',
    message: expect.stringContaining('1024'),
  });
});

test('what commands returned and changed is kept up to a bound, and not at all beyond it', () => {
  const box = boxes.object(boxes.newBox());
  const bump = call(boxes.fn('set'), [input(0), input(1)]);
  const outputs = (maxOutputBytes: number) =>
    boxes.run([bump, bump], { ...inputs(box, 6n), maxOutputBytes }).commandOutputs;
  const changed = outputs(1_000)!.flatMap(({ mutatedByRef }) => mutatedByRef.map(({ bytes }) => bytes));
  expect(changed).toHaveLength(2);
  const bytes = changed.reduce((sum, { length }) => sum + length, 0);
  expect(outputs(bytes + 1)).toHaveLength(2);
  expect(outputs(bytes)).toBeUndefined();
  expect(outputs(0)).toBeUndefined();
});
