import { bcs } from '@mysten/sui/bcs';
import { beforeAll, describe, expect, test } from 'vitest';
import { BoxChain, inputs } from './testing/box.ts';
import { ALICE, BOB, call, gasCoin, input, nested, transfer } from './testing/commands.ts';
import type { Command } from './types.ts';

let boxes: BoxChain;

beforeAll(async () => {
  boxes = await BoxChain.open();
});

describe('coins', () => {
  const coinBalance = bcs.struct('Coin', { id: bcs.Address, balance: bcs.u64() });
  const balanceOf = (id: string) => BigInt(coinBalance.parse(boxes.object(id).contents).balance);
  const id = (digit: string) => `0x${digit.repeat(64)}`;

  test('splits the gas coin, gives the parts away and keeps the rest', () => {
    const gas = boxes.chain.addCoin(id('7'), ALICE, 100n);
    const split: Command = {
      $kind: 'SplitCoins',
      SplitCoins: { coin: gasCoin, amounts: [input(0), input(1)] },
    };
    const outcome = boxes.run([split, transfer([nested(0, 0), nested(0, 1)], input(2))], {
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

  test('merges coins into one and deletes the others', () => {
    const [first, second] = [
      boxes.chain.addCoin(id('8'), ALICE, 5n),
      boxes.chain.addCoin(id('9'), ALICE, 6n),
    ];
    const merge: Command = {
      $kind: 'MergeCoins',
      MergeCoins: { destination: input(0), sources: [input(1)] },
    };
    const outcome = boxes.run([merge], inputs(first, second));
    expect(outcome.writes).toContainEqual({ change: 'deleted', id: second.id });
    expect(balanceOf(first.id)).toBe(11n);
    const itself: Command = {
      $kind: 'MergeCoins',
      MergeCoins: { destination: input(0), sources: [input(0)] },
    };
    expect(boxes.failureOf([itself], inputs(boxes.object(first.id)))?.reason).toMatchObject({
      argument: 1,
      error: 'CannotMoveBorrowedValue',
    });
  });

  test('transfers objects with store, and names the argument that is none', () => {
    const box = boxes.object(boxes.newBox());
    const wrong = (argument: number) => ({
      kind: 'CommandArgumentError',
      argument,
      error: 'InvalidTransferObject',
    });
    const both = [transfer([input(0), input(1)], input(2))];
    expect(boxes.failureOf(both, inputs(box, 7n, BOB))?.reason).toEqual(wrong(1));
    const counter = boxes.object(boxes.counterId);
    expect(boxes.failureOf(both, inputs(counter, box, BOB))?.reason).toEqual(wrong(0));
  });

  test('gives the gas coin away whole only by TransferObjects, and never more than there is', () => {
    const gas = boxes.chain.addCoin(id('a'), ALICE, 10n);
    const given = boxes.run([transfer([gasCoin], input(0))], { ...inputs(BOB), gasCoin: gas });
    expect(given.writes).toMatchObject([{ change: 'mutated', id: gas.id, owner: { address: BOB } }]);
    const other = boxes.chain.addCoin(id('b'), ALICE, 10n);
    const identity = call(boxes.fn('identity'), [gasCoin], [other.type]);
    const refused = boxes.run([identity], { gasCoin: other });
    expect(refused.failure?.reason).toMatchObject({ error: 'InvalidGasCoinUsage' });
    expect(refused.writes).toMatchObject([{ change: 'mutated', id: other.id, contents: other.contents }]);
    const split: Command = { $kind: 'SplitCoins', SplitCoins: { coin: gasCoin, amounts: [input(0)] } };
    expect(boxes.run([split], { ...inputs(11n), gasCoin: other }).failure?.reason.kind).toBe(
      'InsufficientCoinBalance',
    );
  });
});
