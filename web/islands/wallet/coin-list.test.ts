import { expect, test } from 'vitest';
import { type FieldReader, listCoins, sortKnownFirst } from './coin-list.ts';

const long = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;
const sui = `${long(2)}::sui::SUI`;
const junk = (n: number) => `${long(0x1000 + n)}::junk::JUNK`;

/** A wallet with these types of coins, in pages of 50, beside fields of other kinds. */
function createReader(types: readonly string[]): FieldReader & { pages: number } {
  const names = [
    `${long(0xaa)}::wallet::AssetKey`,
    ...types.map((type) => `${long(0xaa)}::wallet::BalanceKey<${type}>`),
  ];
  const reader = {
    pages: 0,
    async listDynamicFields({ cursor }: { cursor: string | null }) {
      reader.pages++;
      const from = Number(cursor ?? 0);
      return {
        dynamicFields: names.slice(from, from + 50).map((type) => ({ name: { type } })),
        hasNextPage: from + 50 < names.length,
        cursor: String(from + 50),
      };
    },
  };
  return reader;
}

test('60 kinds of junk coins do not push SUI and granted coins out, and the rest can be shown', async () => {
  const granted = `${long(7)}::usd::USD`;
  const types = [...Array.from({ length: 60 }, (_, n) => junk(n)), granted, sui];
  const options = { known: ['0x2::sui::SUI', granted] };
  const first = await listCoins(createReader(types), '0x1', { ...options, othersMax: 50 });
  expect(first.coins).toEqual([sui, granted, ...types.slice(0, 50)]);
  expect(first.hasMore).toBe(true);
  const all = await listCoins(createReader(types), '0x1', { ...options, othersMax: 100 });
  const coins = [sui, granted, ...types.slice(0, 60)];
  expect(all).toEqual({ coins, knownCount: 2, held: new Set(types), hasMore: false });
});

test('thousands of kinds are not read at once', async () => {
  const reader = createReader(Array.from({ length: 4_000 }, (_, n) => junk(n)));
  const { coins, hasMore } = await listCoins(reader, '0x1', { known: [sui], othersMax: 50 });
  expect([coins.length, hasMore, reader.pages]).toEqual([51, true, 2]);
});

test('a known coin that the wallet never had is not held', async () => {
  const { coins, held } = await listCoins(createReader([]), '0x1', { known: [sui], othersMax: 50 });
  expect([coins, held.size]).toEqual([[sui], 0]);
});

test('coins that the page knows come before others that an address holds, whatever their form', () => {
  const granted = `${long(7)}::usd::USD`;
  const held = [junk(1), granted, '0x2::sui::SUI'];
  expect(sortKnownFirst(held, [sui, granted, junk(9)])).toEqual([sui, granted, junk(1)]);
});
