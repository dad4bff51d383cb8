import { expect, test } from 'vitest';
import { nameCoins } from './coin-names.ts';

const coin = (digit: string, symbol: string) => ({
  coinType: `0x${digit.repeat(64)}::coin::COIN`,
  coinInfo: { symbol },
});

test('coins whose symbols look alike have their packages beside the symbols, and others do not', () => {
  expect(nameCoins([coin('a', 'USDC'), coin('b', 'usdc'), coin('c', 'REEF')])).toEqual([
    'USDC of 0xaaaa…aaaa',
    'usdc of 0xbbbb…bbbb',
    'REEF',
  ]);
});
