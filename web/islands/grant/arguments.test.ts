import type { ExecutableOp } from '@adaptor-marketplace/adaptor/manifest';
import { expect, test } from 'vitest';
import { listSupportedCoins, parseEnteredValues } from './arguments.ts';
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
  const plan = planDelegation(
    { isInitialized: true, known },
    { service: '0xd::d::D', coinType: coins[0]! },
    0,
  );
  expect(plan.coins).toEqual([]);
});

test.each(['constructor', '__proto__'])(
  'a value that is called %s is missing until it is entered',
  (name) => {
    const op: ExecutableOp = {
      kind: 'pay',
      module: 'jar',
      entry: 'tip',
      call: { typeArgs: [], args: [{ role: 'pure', type: 'u64', name }] },
    };
    expect(() => parseEnteredValues(op, {})).toThrow('Enter a value of the type u64.');
    expect(parseEnteredValues(op, Object.fromEntries([[name, '7']]))).toEqual(
      Object.fromEntries([[name, '7']]),
    );
  },
);
