import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import { inTransaction } from '../../../db/transaction.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import type { Fetched } from '../manifests/fetches.ts';
import { openFindings } from './findings.ts';
import type { Checked } from './store-checked.ts';

const settings = settingsFor('http://127.0.0.1:1');
/** An op that calls a function of its package. */
const op = {
  kind: 'pay',
  module: 'adaptor',
  entry: 'pay',
  call: { typeArgs: [], args: [{ role: 'amount' }] },
};

/** Creates a listing whose first check and manifest are due, its findings, and the writer that stores both. */
async function startDue() {
  const db = await createTestDatabase();
  const seed = readModelBuilder(db);
  const pending = { publisherCheck: 'pending', witnessCheck: 'pending', nextCheckAt: new Date(0) } as const;
  const manifest = { ops: [op] };
  const key = await seed.listing({ fetched: false, row: pending, manifest });
  const { rows } = await db.pool.query<{ hash: string; uri: string; package_id: string }>(
    'select manifest_hash as hash, manifest_uri as uri, package_id from listings',
  );
  const { hash, uri, package_id: packageId } = rows[0]!;
  await db.pool.query(
    `insert into manifest_fetches (network, hash, uri, status) values ('testnet', $1, $2, 'pending')`,
    [hash, uri],
  );
  const body = {
    name: 'A',
    category: 'Swap',
    summary: 'S',
    serviceType: key.serviceType,
    packageId,
    ...manifest,
  };
  const fetched = {
    fetch: { hash, uri, attempts: 0, waitedMs: 0 },
    outcome: { status: 'verified', hash, body },
  } as unknown as Fetched;
  let asked = 0;
  const findings = openFindings({ db, settings }, () => asked++);
  const listing = async () => {
    const { rows } = await db.pool.query(
      `select witness_check as witness, next_check_at is null as checked, op_misfits as misfits,
        recheck_at <= now() as again, (select count(*)::int from catalog_entries) as entries from listings`,
    );
    return rows[0];
  };
  return { db, findings, fetched, checked: createChecked(key, packageId), listing, asked: () => asked };
}

/** Returns the chain's answer: a package without the function that the op calls. */
const createChecked = ({ serviceType: type, publisher }: SeededListing, packageId: string): Checked => ({
  table: 'listings',
  listing: { type, publisher, packageId, attempts: 1 },
  witness: {
    check: { status: 'valid' },
    warnings: [],
    pkg: GrpcTypes.Package.create({ modules: [{ name: 'adaptor' }] }),
  },
  publisher: { status: 'verified' },
  called: new Map(),
  fixed: { types: new Map(), isComplete: true },
});

const misfit = expect.objectContaining({ code: 'function_mismatch', index: 0 });

test.each(['manifest first', 'check first'])(
  'a manifest and a check that are found together are stored as one change, %s',
  async (order) => {
    const { findings, fetched, checked, listing, asked, db } = await startDue();
    const both = order === 'check first' ? [checked, fetched] : [fetched, checked];
    // The first finding begins a transaction. The others arrive while it waits, and go together into the next
    // transaction.
    await inTransaction(db.pool, async (client) => {
      await client.query(`select pg_advisory_xact_lock(hashtextextended('manifests testnet', 0))`);
      const first = findings.add({ ...checked, listing: { ...checked.listing, packageId: 'another' } });
      const rest = both.map((finding) => findings.add(finding));
      void Promise.all([first, ...rest]);
    });
    await eventually(async () => expect((await listing()).checked).toBe(true));
    expect(await listing()).toEqual({
      witness: 'valid',
      checked: true,
      misfits: [misfit],
      again: false,
      entries: 1,
    });
    const { rows } = await db.pool.query('select version from catalog_state');
    expect([rows, asked()]).toEqual([[{ version: 1 }], 0]);
  },
);

test('the planner knows the rows of a first synchronisation before autovacuum comes by', async () => {
  const { db, findings, checked } = await startDue();
  await db.pool.query('alter table listings set (autovacuum_enabled = false)');
  const readSampled = async () => {
    const { rows } = await db.pool.query<{ reltuples: number }>(
      `select reltuples from pg_class where oid = 'listings'::regclass`,
    );
    return rows[0]!.reltuples;
  };
  expect(await readSampled()).toBe(-1);
  await Promise.all(Array.from({ length: 100 }, () => findings.add(checked)));
  await eventually(async () => expect(await readSampled()).toBe(1));
});

test('a manifest that comes before the check of its listing has no other check made', async () => {
  const { findings, fetched, checked, listing, asked } = await startDue();
  await findings.add(fetched);
  expect(await listing()).toMatchObject({ witness: 'pending', checked: false, entries: 0 });
  await findings.add(checked);
  expect([await listing(), asked()]).toEqual([
    { witness: 'valid', checked: true, misfits: [misfit], again: false, entries: 1 },
    0,
  ]);
});

test('a manifest that comes after the check of its listing has it checked again', async () => {
  const { findings, fetched, checked, listing, asked } = await startDue();
  await findings.add(checked);
  expect(await listing()).toMatchObject({ checked: true, misfits: [], again: false, entries: 0 });
  await findings.add(fetched);
  expect([await listing(), asked()]).toEqual([
    { witness: 'valid', checked: true, misfits: [], again: true, entries: 1 },
    1,
  ]);
});
