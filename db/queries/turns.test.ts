import { beforeEach, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { findLargest, measureWork } from '../../test/support/statement-work.ts';
import { readDueProofs } from './catalog/proofs.ts';
import { type CheckQueue, noteTriedManifests, readDueChecks } from './checks.ts';
import { readDueCoins } from './coins.ts';
import { readDueFetches } from './manifests.ts';
import type { Queryable } from './queryable.ts';
import { beginTurns, type Turns } from './turns.ts';

const network = 'testnet';
/** Due rows of strangers. */
const many = 20_000;
/** Items of a batch of the workers. */
const limit = 500;

const db = useTestDatabase();
beforeEach(() => db.pool.query('truncate listings, rules, manifest_fetches, coins'));

/** Adds due rows, each with SQL texts over `n` for its two groups. */
type AddDue = (rows: number, groups: readonly [string, string], due?: string) => Promise<unknown>;

const registrations =
  (table: 'listings' | 'rules', column: 'next_check_at' | 'recheck_at', attempts = 0): AddDue =>
  (rows, [publisher, packageId], due = 'now()') =>
    db.pool.query(
      `insert into ${table} (network, ${table === 'rules' ? 'rule_type, raw_rule_type, kind' : 'service_type, raw_service_type'},
          publisher, package_id, manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
          registered_tx_index, registered_event_index, updated_at, check_attempts, next_check_at, recheck_at, check_ready,
          recheck_ready)
        select $1, 'type' || n || (${publisher}), '' ${table === 'rules' ? ", 'auth'" : ''}, ${publisher}, ${packageId}, '', '', 1,
          true, now(), 1, 0, 0, now(), ${attempts}, ${column === 'next_check_at' ? due : 'null'},
          ${column === 'recheck_at' ? due : 'null'}, ${attempts === 0}, false
        from generate_series(1, ${rows}) n`,
      [network],
    );

const fetches =
  (attempts: number): AddDue =>
  (rows, [publisher, host], due = 'now()') =>
    db.pool.query(
      `insert into manifest_fetches (network, hash, uri, publisher, attempts, next_attempt_at, ready)
        select $1, 'h' || n, 'https://' || (${host}) || '/' || n, ${publisher}, ${attempts}, ${due}, ${attempts === 0}
        from generate_series(1, ${rows}) n`,
      [network],
    );

const coins: AddDue = (rows, [, packageId], due = 'now()') =>
  db.pool.query(
    `insert into coins (network, coin_type, next_check_at)
      select $1, (${packageId}) || '::c' || n || '::C', ${due} from generate_series(1, ${rows}) n`,
    [network],
  );

interface DueRow {
  publisher?: string;
  packageId?: string;
  host?: string;
  coinType?: string;
}

const toText = (row: DueRow) => JSON.stringify(row);

type Read = (
  db: Queryable,
  max: number,
  turns: Turns,
) => Promise<{ rows: DueRow[]; nextMs: number | undefined }>;
const checksOf =
  (table: 'listings' | 'rules', queue: CheckQueue): Read =>
  async (client, max, turns) => {
    const read = { network, table, queue, limit: max, turns };
    if (table === 'rules' || queue === 'again') return await readDueChecks(client, read);
    const noted = await noteTriedManifests(client, read);
    const due = await readDueChecks(client, { ...read, manifests: 'tried' });
    return noted ? due : { ...due, nextMs: 0 };
  };

const queues: [string, AddDue, Read][] = [
  ['first checks of listings', registrations('listings', 'next_check_at'), checksOf('listings', 'first')],
  [
    'repeated checks of listings',
    registrations('listings', 'next_check_at', 3),
    checksOf('listings', 'first'),
  ],
  ['later checks of listings', registrations('listings', 'recheck_at'), checksOf('listings', 'again')],
  ['first checks of rules', registrations('rules', 'next_check_at'), checksOf('rules', 'first')],
  [
    'first fetches',
    fetches(0),
    (client, max, turns) => readDueFetches(client, { network, attempt: 'first', limit: max, turns }),
  ],
  [
    'fetches that are tried again',
    fetches(2),
    (client, max, turns) => readDueFetches(client, { network, attempt: 'again', limit: max, turns }),
  ],
  ['checks of coins', coins, (client, max, turns) => readDueCoins(client, network, max, turns)],
];

const floods: [string, [string, string]][] = [
  ['one publisher', [`'0xflood'`, `'0x' || n`]],
  ['one package or host', [`'0x' || n`, `'0xflood'`]],
  ['many publishers, packages and hosts', [`'0x' || n`, `'0x' || n`]],
];

describe.each(queues)('%s', (_, add, read) => {
  test.each(floods)(
    'a read among twenty thousand due rows of %s reads few of them',
    async (_flood, groups) => {
      await add(many, groups, `now() - n * interval '1 millisecond'`);
      const turns = beginTurns();
      // The first rows become ready.
      await read(db.pool, limit, turns);
      await db.pool.query('vacuum analyze listings, rules, manifest_fetches, coins');
      const statements = await measureWork(db.pool, (client) => read(client as never, limit, turns));
      const { read: rows, written } = findLargest(statements);
      expect(rows, JSON.stringify(statements)).toBeLessThan(25 * limit);
      expect(written).toBeLessThanOrEqual(2_000);
    },
  );

  test.each(floods)(
    'twenty thousand due rows of %s delay another’s by few batches',
    async (_flood, groups) => {
      await add(2_000, groups, `now() - interval '1 hour'`);
      await add(1, [`'0xhonest'`, `'0xhonest'`]);
      const turns = beginTurns();
      for (let batches = 0; ; batches++) {
        expect(batches).toBeLessThan(6);
        const { rows } = await read(db.pool, limit, turns);
        expect(rows).toHaveLength(limit);
        if (rows.some((row) => toText(row).includes('honest'))) break;
      }
    },
  );

  test('a read takes all rows that are due, and none that is not', async () => {
    await add(7, [`'0x' || n % 2`, `'0x' || n % 3`]);
    await add(2, [`'0xlater'`, `'0xlater'`], `now() + interval '1 hour'`);
    await db.pool.query('update coins set check_ready = false where next_check_at > now()');
    await db.pool.query('update listings set check_ready = false where next_check_at > now()');
    await db.pool.query('update rules set check_ready = false where next_check_at > now()');
    await db.pool.query('update manifest_fetches set ready = false where next_attempt_at > now()');
    const turns = beginTurns();
    for (let n = 0; n < 3; n++) {
      const { rows, nextMs } = await read(db.pool, limit, turns);
      expect(new Set(rows.map(toText)).size).toBeGreaterThan(0);
      expect(rows).toHaveLength(7);
      expect(nextMs).toBeGreaterThan(3_000_000);
    }
  });

  test('rows that another transaction has locked are read at the next look, which is due at once', async () => {
    await add(7, [`'0x' || n`, `'0x' || n`]);
    await db.pool.query('update coins set check_ready = false');
    await db.pool.query('update listings set check_ready = false');
    await db.pool.query('update rules set check_ready = false');
    await db.pool.query('update manifest_fetches set ready = false');
    const turns = beginTurns();
    const other = await db.pool.connect();
    try {
      await other.query('begin');
      for (const table of ['coins', 'listings', 'rules', 'manifest_fetches']) {
        await other.query(`select from ${table} for update`);
      }
      expect(await read(db.pool, limit, turns)).toEqual({ rows: [], nextMs: 0 });
    } finally {
      await other.query('rollback');
      other.release();
    }
    const { rows, nextMs } = await read(db.pool, limit, turns);
    expect(rows).toHaveLength(7);
    expect(nextMs).toBeUndefined();
  });
});

test('a first check whose row is locked when its manifest was fetched is read at the next look', async () => {
  await registrations('listings', 'next_check_at')(1, [`'0xa'`, `'0xa'`]);
  const read = checksOf('listings', 'first');
  const turns = beginTurns();
  const other = await db.pool.connect();
  try {
    await other.query('begin');
    await other.query('select from listings for update');
    expect(await read(db.pool, limit, turns)).toEqual({ rows: [], nextMs: 0 });
  } finally {
    await other.query('rollback');
    other.release();
  }
  expect((await read(db.pool, limit, turns)).rows).toHaveLength(1);
});

test('two queues of one table are read over one connection', async () => {
  const client = await db.pool.connect();
  try {
    for (const kind of ['domain', 'suins'] as const)
      expect(await readDueProofs(client, network, kind, limit, beginTurns())).toMatchObject({ rows: [] });
  } finally {
    client.release();
  }
});
