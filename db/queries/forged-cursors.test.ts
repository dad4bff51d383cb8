import { expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { readCatalog } from './catalog/list.ts';
import { type CatalogQuery, positionToCursor } from './catalog/query.ts';
import { encodeCursor } from './page.ts';
import { readDelegates } from './wallets/delegates.ts';
import { readDeliveries } from './webhooks/deliveries.ts';

const db = useTestDatabase();

const wallet = { network: 'testnet', walletId: 'w1', first: 1 };
const catalog: CatalogQuery = { network: 'testnet', sort: 'updated' };

test('a cursor with a time after the year 9999 is refused', async () => {
  const read = (timeMs: number) =>
    readDelegates(db.pool, [{ ...wallet, after: encodeCursor([timeMs, '0x1']) }]);
  await expect(read(253_402_300_800_000)).rejects.toMatchObject({ code: 'bad_cursor' });
  expect(await read(253_402_300_799_999)).toEqual([undefined]);
});

test('a cursor with the index of a transaction that no column can hold is refused', async () => {
  const read = (txIndex: number) =>
    readDeliveries(db.pool, {
      subscription: 'wh_1',
      limit: 1,
      cursor: encodeCursor([0, 'testnet', 1, txIndex, 0]),
    });
  await expect(read(2 ** 31)).rejects.toMatchObject({ code: 'bad_cursor' });
  expect((await read(2 ** 31 - 1)).items).toEqual([]);
});

test.each(['2026-02-31 00:00:00+00', '0000-01-01 00:00:00+00'])(
  'a cursor with a day that does not exist is refused: %s',
  async (time) => {
    const read = (key: string) => {
      const position = { keys: [key], serviceType: 'a', publisher: 'b' };
      return readCatalog(db.pool, { ...catalog, cursor: positionToCursor(catalog, position) });
    };
    await expect(read(time)).rejects.toMatchObject({ code: 'bad_cursor' });
    expect((await read('2024-02-29 23:59:59.999999+00')).entries).toEqual([]);
  },
);
