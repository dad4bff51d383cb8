import { expect, test } from 'vitest';
import type { ActionRequest } from '../../../lib/actions/request.ts';
import { checkFlows } from './flows.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const common = { owner: id('1'), walletId: id('2'), network: 'testnet' as const };
const [A, B, C] = ['a', 'b', 'c'].map((name) => `${id(name)}::${name}::${name.toUpperCase()}`) as [
  string,
  string,
  string,
];
const flows = (paid: [string, bigint][], received: [string, bigint][] = [], others: string[] = []) => ({
  paid: new Map(paid),
  received: new Map(received),
  others,
});
const swap: ActionRequest = { ...common, action: 'swap', coinIn: A, coinOut: B, amountIn: '10', minOut: '5' };
const repay: ActionRequest = { ...common, action: 'stablecoinRepay', amount: '10' };
const compose: ActionRequest = {
  ...common,
  action: 'compose',
  steps: [
    { action: 'stablecoinRepay', amount: '10' },
    { action: 'perpMarginDeposit', marketId: id('9'), amount: '4' },
    { action: 'swap', coinIn: A, coinOut: B, amountIn: '3', minOut: '1' },
  ],
};

test('what the chain says it takes and brings is what was asked for', () => {
  expect(checkFlows(swap, flows([[A, 10n]], [[B, 5n]]))).toEqual(new Map());
  expect(checkFlows(repay, flows([[C, 10n]]))).toEqual(new Map([[C, 10n]]));
  const all = flows(
    [
      [C, 10n],
      [B, 4n],
      [A, 3n],
    ],
    [[B, 1n]],
  );
  expect(checkFlows(compose, all)).toEqual(
    new Map([
      [C, 10n],
      [B, 4n],
    ]),
  );
  const one = flows(
    [
      [C, 14n],
      [A, 3n],
    ],
    [[B, 1n]],
  );
  expect(checkFlows(compose, one)).toEqual(new Map([[C, 14n]]));
});

test.each([
  ['more of the coin', swap, flows([[A, 11n]], [[B, 5n]])],
  [
    'another coin as well',
    swap,
    flows(
      [
        [A, 10n],
        [C, 1n],
      ],
      [[B, 5n]],
    ),
  ],
  ['less in return', swap, flows([[A, 10n]], [[B, 4n]])],
  ['another wallet', swap, flows([[A, 10n]], [[B, 5n]], [id('7')])],
  [
    'an amount of two coins',
    repay,
    flows([
      [A, 10n],
      [B, 10n],
    ]),
  ],
  [
    'one amount in the place of another',
    compose,
    flows(
      [
        [C, 10n],
        [B, 5n],
        [A, 3n],
      ],
      [[B, 1n]],
    ),
  ],
])('%s is not signed', (_what, request, forged) => {
  expect(() => checkFlows(request, forged)).toThrow(/another transaction/);
});
