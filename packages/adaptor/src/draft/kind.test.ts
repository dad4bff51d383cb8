import { expect, test } from 'vitest';
import { chooseCategory, classifyOp } from './kind.ts';
import { op } from './testing/ops.ts';

const pays = { intentMode: 'A', coinsOut: [] } as const;
const brings = { intentMode: undefined, coinsIn: [] } as const;
const foreign = { intentMode: undefined, coinsIn: [], coinsOut: [], touchesWallet: false } as const;
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
  // Packages that were not written for wallets.
  ['custom', 'rewarder_vault', 'deposit', foreign],
  ['custom', 'pool', 'withdraw_fees', foreign],
  ['stake', 'staked_sui', 'request_unstake', foreign],
] as const)('%s: %s::%s', (kind, module, entry, flow) => {
  expect(classifyOp(op({ module, entry, ...flow } as Parameters<typeof op>[0]))).toBe(kind);
});

test.each([
  ['Swap', [{ kind: 'swap' }, { kind: 'swap' }, { kind: 'custom' }]],
  ['Lend', [{ kind: 'custom' }, { kind: 'lend' }]],
  ['Stake', [{ kind: 'stake' }]],
  ['Trading', [{ kind: 'custom', module: 'perpetual_trading', intentMode: 'A' }]],
  ['Recurring', [{ kind: 'pay', intentMode: 'B' }]],
  ['Guardian', [{ kind: 'pay', intentMode: 'C', module: 'inheritance' }]],
  ['Other', [{ kind: 'pay', intentMode: 'A' }]],
  ['Other', []],
] as const)('a listing without a category is %s by its ops', (category, ops) => {
  const all = ops.map((one) => ({ module: 'adaptor', entry: 'run', intentMode: 'D' as const, ...one }));
  expect(chooseCategory(all)).toBe(category);
});

test.each([
  [
    'Swap',
    ['pool::repay_flash_swap', 'pool::repay_flash_swap_with_partner', 'rewarder::deposit', 'pool::open'],
  ],
  ['Swap', ['amm_interface::create_pool', 'treasury::deposit', 'treasury::withdraw', 'treasury::redeem']],
  ['Lend', ['lending_core::deposit', 'incentive::entry_borrow', 'incentive::entry_repay']],
  ['Lend', ['obligation::lock', 'repay::repay', 'flash_loan::borrow']],
  ['Stake', ['staked_sui_vault::request_unstake', 'staked_sui_vault::update', 'sort::swap']],
  ['Trading', ['pool::cancel_order', 'pool::withdraw_settled', 'pool::swap_exact', 'pool::stake']],
  ['Trading', ['margin_manager::borrow', 'margin_manager::repay', 'margin_manager::deposit']],
  ['Other', ['referral_vault::deposit', 'referral_vault::withdraw', 'referral_vault::redeem']],
  ['Other', ['table::borrow', 'table::supply', 'utils::swap_remove']],
] as const)('a package that uses no intent is %s by what it does', (category, names) => {
  const ops = names.map((name) => {
    const [module = '', entry = ''] = name.split('::');
    return { module, entry, kind: 'custom' as const };
  });
  expect(chooseCategory(ops)).toBe(category);
});
