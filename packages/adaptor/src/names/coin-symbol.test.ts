import { expect, test } from 'vitest';
import { formatCoinSymbol } from './coin-symbol.ts';

const packageId = `0x${'ab'.repeat(32)}`;

test.each(['SUI', 'sui', 'SUl', 'SU1', '$SUI', 'S.U.I', 'SUI_'])(
  'a coin that calls itself %s has its package beside the name, unless it is the native one',
  (symbol) => {
    expect(formatCoinSymbol(`${packageId}::x::X`, { symbol })).toBe(`${symbol} of 0xabab…abab`);
    expect(formatCoinSymbol('0x2::sui::SUI', { symbol })).toBe(symbol);
  },
);

test.each(['SUIT', 'USUI', 'XSUI', '5UI', 'USDC'])('%s is a name of its own', (symbol) => {
  expect(formatCoinSymbol(`${packageId}::x::X`, { symbol })).toBe(symbol);
});

test('a coin without metadata has the name of its type, cut to what fits into a line', () => {
  expect(formatCoinSymbol('0x2::sui::SUI', null)).toBe('SUI');
  expect(formatCoinSymbol(`${packageId}::sui::SUI<0x2::sui::SUI>`, null)).toBe('SUI of 0xabab…abab');
  expect(formatCoinSymbol(`${packageId}::lp::${'L'.repeat(128)}<0x2::sui::SUI>`, null)).toBe(
    `${'L'.repeat(31)}…`,
  );
});
