import { Transaction } from '@mysten/sui/transactions';
import { expect, test } from 'vitest';
import { appendAction, sumByCoin } from './lock.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const wallet = { packageId: id('b'), wallet: id('a') };
const service = `${id('d')}::lend::Lend`;
const [A, B] = [`${id('1')}::a::A`, `${id('2')}::b::B`];

test('each coin stands once with the sum of its amounts, in their first order and without those of zero', () => {
  const amounts = [
    { coinType: B, amount: 2n },
    { coinType: A, amount: 1n },
    { coinType: B, amount: 3n },
    { coinType: `${id('3')}::c::C`, amount: 0n },
  ];
  expect(sumByCoin(amounts)).toEqual([
    { coinType: B, amount: 5n },
    { coinType: A, amount: 1n },
  ]);
  expect(sumByCoin([])).toEqual([]);
});

test('an action stands between its beginning and its end, and its calls never get the ticket', () => {
  const tx = new Transaction();
  tx.moveCall({ target: `${id('e')}::other::call` });
  const bounds = {
    service,
    takes: [{ coinType: A, amount: 7n }],
    brings: [
      { coinType: B, amount: 4n },
      { coinType: B, amount: 1n },
    ],
  };
  appendAction(tx, wallet, bounds, () => {
    tx.moveCall({ target: `${id('d')}::lend::deposit`, arguments: [tx.object(wallet.wallet)] });
  });
  const calls = tx.getData().commands.map(({ MoveCall: call }) => call!);
  expect(
    calls.map(({ module, function: name, typeArguments }) => [`${module}::${name}`, typeArguments]),
  ).toEqual([
    ['other::call', []],
    ['action::begin', [service]],
    ['action::may_take', [A]],
    ['action::must_bring', [B]],
    ['lend::deposit', []],
    ['action::end', []],
  ]);
  const ticket = { $kind: 'Result', Result: 1 };
  const holders = calls.filter((call) => call.arguments.some(({ $kind }) => $kind !== 'Input'));
  expect(holders.map(({ function: name }) => name)).toEqual(['may_take', 'must_bring', 'end']);
  for (const call of holders) expect(call.arguments[1]).toMatchObject(ticket);
});
