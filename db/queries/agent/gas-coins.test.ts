import { expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { endSplit, readCoins, recordSplit, type SignedSplit, storeCoins } from './gas-coins.ts';

const db = useTestDatabase();

const payer = { network: 'testnet', payer: `0x${'a'.repeat(64)}` };
const merged = { coinId: '0x1', version: 1, digest: 'before', balance: 1_000n };
const split: SignedSplit = {
  transaction: new Uint8Array([1]),
  signatures: ['signature'],
  digest: 'split',
  amount: 300n,
  signedCheckpoint: 1,
};

test('a split that two processes settled ends once: the second end leaves the balances as they are', async () => {
  await storeCoins(db.pool, payer, { coins: [merged], complete: true });
  expect(await recordSplit(db.pool, payer, split, [merged], new Date(0))).toBe(true);
  const outcome = {
    gas: { coinId: '0x1', version: 2, digest: 'after', paid: 100n },
    created: [{ coinId: '0x2', version: 2, digest: 'made' }],
  };
  await endSplit(db.pool, payer, split, outcome);
  const free = [
    { coinId: '0x1', version: 2, digest: 'after', balance: 600n },
    { coinId: '0x2', version: 2, digest: 'made', balance: 300n },
  ];
  expect(await readCoins(db.pool, payer)).toEqual({ free, used: 0, stale: 0 });
  await endSplit(db.pool, payer, split, outcome);
  expect(await readCoins(db.pool, payer)).toEqual({ free, used: 0, stale: 0 });
});
