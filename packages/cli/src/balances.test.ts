import { expect, test } from 'vitest';
import { readBalances } from './balances.ts';

const coinType = (index: number) => `0x${index.toString(16).padStart(64, '0')}::coin::COIN`;

/**
 * A node with a wallet that has as many kinds of coins, in pages of 50. The amount of each is its index.
 * @param absent id of a field that the node cannot read
 */
function createNode(count: number, absent?: string) {
  const core = {
    async listDynamicFields({ cursor }: { cursor: string | null }) {
      const from = Number(cursor ?? 0);
      const dynamicFields = Array.from({ length: Math.min(50, count - from) }, (_, at) => ({
        fieldId: String(from + at),
        name: { type: `0x1::wallet::BalanceKey<${coinType(from + at)}>` },
      }));
      return { dynamicFields, hasNextPage: from + 50 < count, cursor: String(from + 50) };
    },
    async getObjects({ objectIds }: { objectIds: string[] }) {
      const amounts = objectIds.map((id) => {
        if (id === absent) return new Error('not found');
        const content = Buffer.alloc(40);
        content.writeBigUInt64LE(BigInt(id), 32);
        return { content };
      });
      return { objects: amounts };
    },
  };
  return { within: () => ({ core }) } as unknown as Parameters<typeof readBalances>[0];
}

test('a wallet with few kinds of coins is read as a whole', async () => {
  expect(await readBalances(createNode(2), '0x1')).toEqual({
    balances: [
      { coin: coinType(0), amount: '0' },
      { coin: coinType(1), amount: '1' },
    ],
    truncated: false,
  });
  expect(await readBalances(createNode(500), '0x1')).toMatchObject({ truncated: false });
});

test('a wallet with more kinds of coins than are read says so', async () => {
  const { balances, truncated } = await readBalances(createNode(501), '0x1');
  expect([balances.length, truncated]).toEqual([500, true]);
});

test('a wallet with a coin that the node cannot read says so', async () => {
  const { balances, truncated } = await readBalances(createNode(3, '1'), '0x1');
  expect([balances.map(({ amount }) => amount), truncated]).toEqual([['0', '2'], true]);
});
