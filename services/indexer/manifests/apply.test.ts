import { beforeEach, expect, test, vi } from 'vitest';
import { hasUnapplied } from '../../../db/queries/catalog/judgements.ts';
import { announceManifests, lockManifests } from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { spyOnStatements } from '../../../test/support/statements.ts';
import { openFindings } from '../checks/findings.ts';
import { removeLeaving } from '../checks/upkeep.ts';
import { appliedMax, applyFetches } from './apply.ts';
import type { Fetched } from './fetches.ts';
import { judgeManifests } from './fit.ts';

const network = 'testnet';
let seed: ReturnType<typeof readModelBuilder>;
const db = useTestDatabase();
beforeEach(async () => {
  await db.pool.query(`truncate listings, listing_versions, rules, manifests, manifest_fetches, events, catalog_entries,
    catalog_removals, catalog_state, op_tools`);
  seed = readModelBuilder(db);
});

const { rpcUrl } = settingsFor('http://127.0.0.1:1');
const settings = settingsFor(rpcUrl);
const open = (onDue = () => {}) => openFindings({ db, settings }, onDue);
const read = async <Row extends object>(sql: string, values: unknown[] = []) =>
  (await db.pool.query<Row>(sql, values)).rows;
const count = async (from: string) =>
  Number((await read<{ n: string }>(`select count(*) as n from ${from}`))[0]!.n);

const hash = 'ab'.repeat(32);
const uri = 'https://publisher.example/manifest.json';
const serviceType = `${address(1)}::adaptor::Witness`;
const body = { name: 'Reef', category: 'Swap', summary: 'S', serviceType, packageId: address(1), ops: [] };

const fetched = (status: string, attempts = 0, at = uri) =>
  ({
    fetch: { hash, uri: at, attempts, waitedMs: 0 },
    outcome: status === 'verified' ? { status, hash, body } : { status, reason: 'No.', retryable: true },
  }) as unknown as Fetched;

/** Copies of one listing by other publishers, that name the manifest. */
async function copyListings(copies: number, change: string): Promise<void> {
  const { serviceType: copied } = await seed.listing({ serviceType });
  const columns = await read<{ list: string }>(
    `select string_agg(column_name, ', ') as list from information_schema.columns
      where table_name = 'listings' and is_generated = 'NEVER'`,
  );
  const { list } = columns[0]!;
  await db.pool.query(
    `insert into listings (${list}) select ${list} from (
      select (jsonb_populate_record(l, jsonb_build_object('publisher', '0xc' || lpad(n::text, 63, '0'),
        'registered_event_index', n))).* from listings l cross join generate_series(1, $1) n) copies`,
    [copies - 1],
  );
  await db.pool.query(`update listings set ${change} where service_type = $1`, [copied]);
}

/** Listings whose entries wait for the manifest of a newer version. */
async function waitForNewer(copies: number): Promise<void> {
  await copyListings(copies, 'version = 1');
  await seed.refresh();
  await db.pool.query(
    `update listings set version = 2, manifest_hash = $1, manifest_uri = $2, judgement_due = true, name = null`,
    [hash, uri],
  );
  await inTransaction(db.pool, (client) => announceManifests(client, network, [{ hash, uri }], []));
  await seed.refresh();
}

/** Listings that name a manifest that is not fetched yet. */
async function waitForFirst(copies: number): Promise<void> {
  await copyListings(copies, 'judgement_due = true, name = null');
  await db.pool.query('update listings set manifest_hash = $1, manifest_uri = $2', [hash, uri]);
  await db.pool.query('truncate manifests, manifest_fetches, catalog_entries, catalog_state');
  await inTransaction(db.pool, (client) => announceManifests(client, network, [{ hash, uri }], []));
}

/** Number of keys of each statement that refreshes entries, while `work` runs. */
async function countRefreshed(work: () => Promise<unknown>): Promise<number[]> {
  const spy = spyOnStatements();
  try {
    await work();
    return (spy.mock.calls as unknown[][])
      .map(([given]) => given as { name?: string; values?: unknown[][] })
      .filter(({ name }) => name === 'refresh-entries')
      .map(({ values }) => values![1]!.length);
  } finally {
    spy.mockRestore();
  }
}

const applyPage = (limit?: number) =>
  inTransaction(db.pool, async (client) => {
    await lockManifests(client, network);
    return await applyFetches(client, network, undefined, limit);
  });

test('a failed fetch refreshes the entries that wait for it, page by page, and none of the listings without one', async () => {
  await waitForNewer(appliedMax + 20);
  await copyRest(30);
  const findings = open();
  expect(await countRefreshed(() => findings.add(fetched('unreachable')))).toEqual([appliedMax]);
  expect(await count("catalog_entries where pending_state = 'unreachable'")).toBe(appliedMax);
  expect(await countRefreshed(() => applyPage())).toEqual([20]);
  expect(await count("catalog_entries where pending_state = 'unreachable'")).toBe(appliedMax + 20);
  expect(await hasUnapplied(db.pool, network)).toBe(false);
});

/** Listings without an entry, because nothing is known of their witness. */
async function copyRest(copies: number): Promise<void> {
  await db.pool.query(
    `insert into listings (network, service_type, publisher, raw_service_type, package_id, manifest_uri, manifest_hash,
        version, listed, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at)
      select 'testnet', $1 || n, $2, '', '', $3, $4, 1, true, now(), 1, 1, 1, now() from generate_series(1, $5) n`,
    [serviceType, address(9), uri, hash, copies],
  );
}

test('a failed fetch with the status of the one before refreshes nothing, also after an update announced it again', async () => {
  await waitForNewer(30);
  const findings = open();
  expect(await countRefreshed(() => findings.add(fetched('unreachable')))).toEqual([30]);
  expect(await countRefreshed(() => findings.add(fetched('unreachable', 1)))).toEqual([]);
  await inTransaction(db.pool, (client) => announceManifests(client, network, [{ hash, uri }], []));
  expect(await countRefreshed(() => findings.add(fetched('unreachable')))).toEqual([]);
  expect(await countRefreshed(() => findings.add(fetched('mismatch', 1)))).toEqual([30]);
  expect(await countRefreshed(() => findings.add(fetched('invalid', 2)))).toEqual([]);
  expect(await count('catalog_entries')).toBe(0);
});

test('wrong bytes of a blob are fetched again for hours, and those of a url for a fortnight', async () => {
  const readNext = async (at: string, attempts: number) => {
    await db.pool.query('truncate manifest_fetches');
    await inTransaction(db.pool, (client) => announceManifests(client, network, [{ hash, uri: at }], []));
    await db.pool.query('update manifest_fetches set attempts = $1', [attempts]);
    await open().add(fetched('mismatch', attempts, at));
    const [row] = await read<{ is_due: boolean }>(
      'select next_attempt_at is not null as is_due from manifest_fetches',
    );
    return row!.is_due;
  };
  const blob = `walrus://${'a'.repeat(43)}`;
  expect([await readNext(blob, 0), await readNext(blob, 4), await readNext(blob, 5)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await readNext(uri, 5), await readNext(uri, 16), await readNext(uri, 17)]).toEqual([
    true,
    true,
    false,
  ]);
});

test('an outcome that is stored twice counts once', async () => {
  await waitForNewer(1);
  const findings = open();
  await findings.add(fetched('unreachable'));
  await findings.add(fetched('unreachable'));
  expect(await read('select attempts from manifest_fetches where uri = $1', [uri])).toEqual([
    { attempts: 1 },
  ]);
});

test('a manifest that many listings name is judged page by page, and none is shown before it is judged', async () => {
  await waitForFirst(appliedMax + 20);
  const due = vi.fn();
  expect(await countRefreshed(() => open(due).add(fetched('verified')))).toEqual([appliedMax]);
  expect(await count('listings where not judgement_due')).toBe(appliedMax);
  expect(await count('catalog_entries')).toBe(appliedMax);
  // Whatever refreshes the others before they are judged: they are not shown.
  await seed.refresh();
  expect(await count('catalog_entries')).toBe(appliedMax);
  expect(await countRefreshed(() => applyPage())).toEqual([20]);
  expect(await count('catalog_entries')).toBe(appliedMax + 20);
  expect(await hasUnapplied(db.pool, network)).toBe(false);
  expect(due).toHaveBeenCalled();
});

test('pages that a process leaves are applied by another one, each listing once', async () => {
  await waitForFirst(25);
  await open().add(fetched('verified'));
  await db.pool.query('update listings set judgement_due = true');
  await db.pool.query(`update manifest_fetches set apply_at = now()`);
  await expect(
    inTransaction(db.pool, async (client) => {
      await lockManifests(client, network);
      await applyFetches(client, network, undefined, 10);
      throw new Error('the process ends');
    }),
  ).rejects.toThrow('the process ends');
  const sizes = await countRefreshed(async () => {
    while (await hasUnapplied(db.pool, network)) await applyPage(10);
  });
  expect(sizes).toEqual([10, 10, 5]);
  expect(await count('listings where not judgement_due')).toBe(25);
});

test('pages of one manifest take turns with those of others', async () => {
  await waitForFirst(40);
  await db.pool.query(
    `insert into manifest_fetches (network, hash, uri, status, next_attempt_at, apply_at)
      select 'testnet', $1, 'walrus://other', 'verified', null, now()`,
    [hash],
  );
  await db.pool.query('update listings set manifest_uri = $1 where publisher like $2', [
    'walrus://other',
    '%9',
  ]);
  await db.pool.query(
    `update manifest_fetches set status = 'verified', next_attempt_at = null, apply_at = now() - interval '1 s' where uri = $1`,
    [uri],
  );
  await db.pool.query('insert into manifests (hash, body) values ($1, $2)', [hash, body]);
  await applyPage(10);
  expect(await count("listings where not judgement_due and manifest_uri = 'walrus://other'")).toBe(0);
  await applyPage(10);
  expect(await count("listings where not judgement_due and manifest_uri = 'walrus://other'")).toBe(4);
});

test('fetches of one hash at many uris end in pages, and their listings are shown', async () => {
  await waitForFirst(30);
  await db.pool.query(`update listings set manifest_uri = 'walrus://' || registered_event_index`);
  const refs = await read<{ hash: string; uri: string }>(
    'select manifest_hash as hash, manifest_uri as uri from listings',
  );
  await inTransaction(db.pool, (client) => announceManifests(client, network, refs, [{ hash, uri }]));
  await db.pool.query(
    `insert into manifest_fetches (network, hash, uri, status, next_attempt_at, apply_at)
      values ('testnet', $1, $2, 'verified', null, now())`,
    [hash, uri],
  );
  await db.pool.query('insert into manifests (hash, body) values ($1, $2)', [hash, body]);
  let pages = 0;
  while (await hasUnapplied(db.pool, network)) {
    const before = await count("manifest_fetches where status = 'verified'");
    await applyPage(10);
    expect((await count("manifest_fetches where status = 'verified'")) - before).toBeLessThanOrEqual(10);
    pages += 1;
  }
  expect(pages).toBeGreaterThan(3);
  expect(await count("manifest_fetches where status <> 'verified' or next_attempt_at is not null")).toBe(0);
  expect(await count('catalog_entries')).toBe(30);
});

test('a listing that names a known manifest is judged alone, and its fetch, that had failed, brings the others', async () => {
  await waitForFirst(20);
  await open().add(fetched('unreachable'));
  await db.pool.query('insert into manifests (hash, body) values ($1, $2)', [hash, body]);
  const [first] = await read<{ type: string; publisher: string }>(
    'select service_type as type, publisher from listings order by publisher limit 1',
  );
  await inTransaction(db.pool, async (client) => {
    await lockManifests(client, network);
    await announceManifests(client, network, [{ hash, uri }], []);
    await judgeManifests(client, network, 'listings', [first!]);
  });
  expect(await count('listings where not judgement_due')).toBe(1);
  await applyPage();
  expect(await count('listings where not judgement_due')).toBe(20);
});

test('the texts of a manifest are read once, however many listings name it', async () => {
  await waitForFirst(200);
  await db.pool.query('insert into manifests (hash, body) values ($1, $2)', [hash, body]);
  await db.pool.query(`update manifest_fetches set status = 'verified', apply_at = now()`);
  const client = await db.pool.connect();
  const plans: string[][] = [];
  const explaining = new Proxy(client, {
    get(target, property) {
      if (property !== 'query') return Reflect.get(target, property);
      return async (query: { name?: string; text: string; values: unknown[] }) => {
        if (query.name?.startsWith('find-manifest-claims') || query.name === 'refresh-entries') {
          await target.query('savepoint before');
          const text = `explain (analyze, costs off, timing off) ${query.text}`;
          const { rows } = await target.query({ text, values: query.values });
          plans.push(rows.map((row) => row['QUERY PLAN']));
          await target.query('rollback to savepoint before');
        }
        return await target.query(query as never);
      };
    },
  });
  try {
    await client.query('begin');
    await applyFetches(explaining, network);
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    const texts = plan.filter((line) => /Function Scan on .*(claimed|shown)/.test(line));
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((line) => !line.includes('loops=1)'))).toEqual([]);
  }
});

test('entries that leave the catalog at the same time leave it page by page', async () => {
  await waitForNewer(25);
  await open().add(fetched('unreachable'));
  await db.pool.query('update catalog_entries set leaves_at = now()');
  const never = new AbortController().signal;
  expect(await countRefreshed(() => removeLeaving(db.pool, network, never, 10))).toEqual([10, 10, 5]);
  expect(await count('catalog_entries')).toBe(0);
});
