import { expect, test } from 'vitest';
import type { PastCoin } from '../../../db/queries/canaries/due.ts';
import { chooseCoins, listPaid, settleCoins, suiCoin } from './coins.ts';

const dollar = `0x${'d'.repeat(64)}::dollar::DOLLAR`;
const share = `0x${'e'.repeat(64)}::share::SHARE`;
const past = (coinType: string, taken: number, brought: number): PastCoin => ({
  coinType,
  decimals: 6,
  wallets: [],
  taken: Array<string>(taken).fill('1'),
  brought: Array<string>(brought).fill('1'),
});

test('coins of most past actions come first, then those of the manifest, and SUI last', () => {
  const { paid, chooseReceived } = chooseCoins([past(share, 1, 9), past(dollar, 5, 2)], ['0x2::sui::SUI']);
  expect(paid).toEqual([dollar, share, suiCoin]);
  expect(chooseReceived(dollar)).toBe(share);
  expect(chooseReceived(share)).toBe(dollar);
});

test('an adaptor without past use is tried with the coins of its manifest, in their order', () => {
  const { paid, chooseReceived } = chooseCoins([], [dollar, share]);
  expect(paid).toEqual([dollar, share, suiCoin]);
  expect(chooseReceived(dollar)).toBe(share);
  expect(chooseCoins([], ['*']).paid).toEqual([suiCoin]);
  expect(chooseCoins([], []).chooseReceived(suiCoin)).toBe(suiCoin);
});

test('what a manifest names as a coin and is none is left out, and no simulation pays more than four', () => {
  const many = Array.from({ length: 256 }, (_, at) => `0x${at.toString(16)}::coin::COIN`);
  expect(chooseCoins([], ['', 'no type', '0x2::sui::SUI<', '@a/b::c::D', ...many]).paid).toHaveLength(4);
});

test('coins that the objects of an op settle leave no choice, and the others are chosen as before', () => {
  const likely = chooseCoins([past(dollar, 5, 2)], [share]);
  const withdrawal = settleCoins(likely, { coinIn: share, coinOut: '0x2::sui::SUI' });
  expect(withdrawal).toMatchObject({ paid: [share], isSettled: true });
  expect(withdrawal.chooseReceived(share)).toBe(suiCoin);
  const sale = settleCoins(likely, { coinIn: null, coinOut: share });
  expect(sale).toMatchObject({ paid: [dollar, share, suiCoin], isSettled: false });
  expect(sale.chooseReceived(suiCoin)).toBe(share);
  expect(settleCoins(likely, { coinIn: null, coinOut: null }).chooseReceived(share)).toBe(dollar);
  expect(listPaid([withdrawal, sale])).toEqual([share, dollar, suiCoin]);
});
