import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { leaseCoin } from './gas-coins.ts';
import { readOpenRuns } from './locks.ts';
import { openRun } from './open-run.ts';
import { confirmAdaptor, removeConfirmed } from './operator.ts';
import { addLines } from './runs.ts';
import { recordSigned } from './settle-run.ts';

const [worker, startedAt] = [7, new Date('2026-03-14T12:00:00Z')];
const [network, serviceType, manifestHash] = ['testnet', 'service', 'hash'];
const noLines = { position: 0, lines: [], at: startedAt };

const database = useTestDatabase();
beforeEach(async () => {
  await database.pool.query(
    'truncate agent_runs, agent_gas_coins, agent_adaptors, wallets; insert into agent_gas_coins (network, payer, coin_id, version, digest, balance) values ($$testnet$$, $$a$$, $$0x1$$, 1, $$d$$, 1)',
  );
  const { owner, walletId } = newRun(worker, startedAt);
  await walletRows(database).wallet(owner, { walletId });
});

const line = { step: 'validate', status: 'active' } as const;
const noConditions = { scope: null, subjects: [], confirmed: [] };
const signed = {
  transaction: Uint8Array.of(1),
  signatures: [],
  digest: 'd',
  bounds: null,
  signedCheckpoint: 1,
};

/** Opens a run, and leases the gas coin to it. */
async function openLeased() {
  const { pool: db } = database;
  const opening = await openRun(db, newRun(worker, startedAt));
  if (opening.kind !== 'opened') throw new Error(opening.kind);
  const run = { run: opening.run, worker };
  const coin = await leaseCoin(db, run, 1n);
  if (typeof coin === 'string') throw new Error(coin);
  return { run, coin };
}

test('nothing is signed for an adaptor whose confirmation the operator withdrew or replaced meanwhile', async () => {
  const { pool: db } = database;
  const { run, coin } = await openLeased();
  const sign = () => {
    const conditions = { ...noConditions, confirmed: [{ serviceType, manifestHash }] };
    return recordSigned(db, run, signed, conditions, coin, noLines);
  };
  const confirm = (hash: string) =>
    confirmAdaptor(db, {
      network,
      serviceType,
      publisher: 'publisher',
      version: 1,
      packageId: 'package',
      manifestHash: hash,
      confirmedAt: startedAt,
    });
  await confirm(manifestHash);
  await removeConfirmed(db, { network, serviceType });
  expect(await sign()).toBe('notConfirmed');
  await confirm('another');
  expect(await sign()).toBe('notConfirmed');
  await confirm(manifestHash);
  expect(await sign()).toBe('recorded');
});

test('nothing is signed for a run of which a crash of the database lost lines', async () => {
  const { pool: db } = database;
  const lease = await openLeased();
  await addLines(db, lease.run, { position: 0, lines: [line, line], at: startedAt });
  await db.query('delete from agent_run_steps where run = $1 and position = 0', [lease.run.run]);
  const more = { position: 2, lines: [line], at: startedAt };
  const sign = () => recordSigned(db, lease.run, signed, noConditions, lease.coin, more);
  expect(await sign()).toBe('lost');
  expect(await readOpenRuns(db, worker, [lease.run.run])).toMatchObject([
    { state: 'running', nextPosition: 2 },
  ]);
  await addLines(db, lease.run, { position: 0, lines: [line], at: startedAt });
  expect(await sign()).toBe('recorded');
});
