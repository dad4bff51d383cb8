import { expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { reserveSimulation } from './due.ts';

const db = useTestDatabase();

test('simulations wait for those before them, and not for a time from before the clock was set back', async () => {
  const reserve = () => reserveSimulation(db.pool, 'testnet', 0.1);
  expect(await reserve()).toBe(0);
  expect(await reserve()).toBeGreaterThan(9_000);
  expect(await reserve()).toBeGreaterThan(19_000);
  await db.pool.query(`update canary_paces set free_at = free_at + interval '1 hour'`);
  expect(await reserve()).toBe(0);
  expect(await reserve()).toBeGreaterThan(9_000);
});
