import { expect, test } from 'vitest';
import { listSupportedCoins } from './arguments.ts';
import { planDelegation } from './delegate-plan.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
/** A share of a pool, as the chain and the index write it. */
const share = `${id('a')}::pool::SHARE<${id('2')}::sui::SUI,${id('b')}::usd::USD>`;

test('a coin with type parameters is the one that the wallet has, however its manifest spells it', () => {
  const spelled = ['0xA::pool::SHARE<0x2::sui::SUI, 0xb::usd::USD>', '0x2::sui::SUI', '*'];
  const coins = listSupportedCoins(spelled);
  expect(coins).toEqual([share, `${id('2')}::sui::SUI`]);
  const known = {
    address: id('c'),
    expiresMs: null,
    services: [],
    coins: [{ key: share, amount: '5', unlimited: false }],
    truncated: false,
  };
  // The budget is replaced, so the owner does not read that it is kept.
  const plan = planDelegation({ isInitialized: true, known }, { service: '0xd::d::D', coinType: coins[0]! }, 0);
  expect(plan.coins).toEqual([]);
});
