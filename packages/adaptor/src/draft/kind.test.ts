import { expect, test } from 'vitest';
import { categoryOf, kindOf } from './kind.ts';
import { op } from './testing/ops.ts';

const pays = { intentMode: 'A', coinsOut: [] } as const;
const brings = { intentMode: undefined, coinsIn: [] } as const;
const nothing = { intentMode: undefined, coinsIn: [], coinsOut: [] } as const;

test.each([
  ['swap', 'pool_swap', 'swap_a_to_b', {}],
  ['swap', 'adaptor', 'convert', {}],
  ['stake', 'share_vault', 'deposit', {}],
  ['stake', 'liquid_staking', 'unstake', {}],
  ['lend', 'credit_lending', 'withdraw', {}],
  ['lend', 'stablecoin_account', 'borrow', {}],
  ['lend', 'term_savings', 'deposit', pays],
  ['lend', 'market_supply', 'withdraw', brings],
  ['pay', 'tip_jar', 'tip', pays],
  ['pay', 'adaptor', 'swap_fee', pays],
  ['custom', 'concentrated_liquidity', 'open', pays],
  ['custom', 'perpetual_trading', 'deposit_margin', pays],
  ['lend', 'market_supply', 'open_position', nothing],
  ['custom', 'adaptor', 'open_account', nothing],
  ['custom', 'adaptor', 'collect', brings],
] as const)('%s: %s::%s', (kind, module, entry, flow) => {
  expect(kindOf(op({ module, entry, ...flow } as Parameters<typeof op>[0]))).toBe(kind);
});

test.each([
  ['Swap', [{ kind: 'swap' }, { kind: 'swap' }, { kind: 'custom' }]],
  ['Lend', [{ kind: 'custom' }, { kind: 'lend' }]],
  ['Stake', [{ kind: 'stake' }]],
  ['Trading', [{ kind: 'custom', module: 'perpetual_trading' }]],
  ['Recurring', [{ kind: 'pay', intentMode: 'B' }]],
  ['Guardian', [{ kind: 'pay', intentMode: 'C', module: 'inheritance' }]],
  ['Other', [{ kind: 'pay', intentMode: 'A' }]],
  ['Other', []],
] as const)('a listing without a category is %s by its ops', (category, ops) => {
  expect(categoryOf(ops.map((one) => ({ module: 'adaptor', ...one })))).toBe(category);
});
