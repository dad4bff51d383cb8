import { formatCoinSymbol } from '@adaptor-marketplace/adaptor/names';
import { expect, test } from 'vitest';
import { html, render } from './html.ts';
import { amount, amountInFull, withShortIds } from './values.ts';

const stranger = `0x${'ab'.repeat(32)}`;
const theirs = 'SUI of 0xabab…abab';

test.each([
  ['0x2::sui::SUI', 'SUI', 'SUI'],
  [`0x${'2'.padStart(64, '0')}::sui::SUI`, 'SUI', 'SUI'],
  [`${stranger}::sui::SUI`, 'SUI', theirs],
  [`${stranger}::coin::COIN`, 'SUI', theirs],
  [`${stranger}::coin::COIN`, 'Sui', theirs.replace('SUI', 'Sui')],
  [`${stranger}::coin::COIN`, 'REEF', 'REEF'],
])('the word SUI alone means Sui’s own coin: %s that calls itself %s', (coinType, symbol, shown) => {
  const info = { symbol, decimals: 9 };
  expect(formatCoinSymbol(coinType, info)).toBe(shown);
  expect(render(amount('1500000000', coinType, info))).toContain(`>1.5 ${shown}<`);
});

test('a coin without metadata is called by its type, and by its package too where that is SUI', () => {
  expect(formatCoinSymbol('0x2::sui::SUI', null)).toBe('SUI');
  expect(formatCoinSymbol(`${stranger}::pool::SHARE<0x2::sui::SUI>`, null)).toBe('SHARE');
  expect(formatCoinSymbol(`${stranger}::sui::SUI`, null)).toBe(theirs);
});

test('one base unit is not several', () => {
  const dust = { coinType: `${stranger}::coin::COIN`, info: { symbol: 'REEF', decimals: 6 } };
  expect(render(html`${amountInFull('1', dust.coinType, dust.info)}`)).toContain('(1 base unit of the coin');
  expect(render(html`${amountInFull('1490310', dust.coinType, dust.info)}`)).toContain(
    '(1,490,310 base units of the coin',
  );
  expect(render(amount('1', dust.coinType, null))).toContain('>1 base unit<');
});

test('an id in a text is short, in full on hover, and cannot make the text long', () => {
  const id = `0x${'1c34'.padEnd(64, '0')}`;
  expect(render(html`${withShortIds(`Deposit <to> ${id} at 0x6`)}`)).toBe(
    `<bdi>Deposit &lt;to> </bdi><code title="${id}">0x1c34…0000</code><bdi> at 0x6</bdi>`,
  );
  expect(
    render(html`${withShortIds(`0x${'f'.repeat(5_000)}`)}`).replaceAll(/<[^>]*>/g, '').length,
  ).toBeLessThan(20);
});
