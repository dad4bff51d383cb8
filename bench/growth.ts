import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { readCatalog } from '../db/queries/catalog/list.ts';
import { foldReviews, lockCatalog, refreshEntries } from '../db/queries/catalog/maintain.ts';
import type { CatalogQuery } from '../db/queries/catalog/query.ts';
import { inTransaction } from '../db/transaction.ts';
import { median, type Options, type Result } from './measure.ts';

const network = 'testnet';
const listingsFull = [12, 100, 1_000, 10_000];
const attestationsFull = [100, 1_000, 10_000, 100_000];
const rounds = 51;

/** Reads of a page of 50, by the name of the figure. */
const reads: Record<string, Omit<CatalogQuery, 'network'>> = {
  usage: {},
  rating: { sort: 'rating' },
  updated: { sort: 'updated' },
  name: { sort: 'name' },
  category: { category: 'Lend' },
  search: { q: 'vault 77' },
  typo: { q: 'vualt' },
};

/**
 * What a change of one listing and a page cost while the catalog grows, and what an attestation costs while those of its
 * service grow. Each transaction commits on disk. The limit is the same change in the smallest catalog.
 */
export async function run({ scale }: Options): Promise<Result> {
  const scaled = (sizes: readonly number[]) => sizes.filter((size) => size <= sizes.at(-1)! * scale);
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  stack.defer(() => rm(dir, { recursive: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 2 });
  stack.defer(() => db.close());
  await migrateDatabase(db);

  const details: Record<string, number | string> = {};
  const changes: number[] = [];
  for (const size of scaled(listingsFull)) {
    await fill(db, size);
    changes.push(await timed(() => change(db, size)));
    details[`change, ${size} listings, ms`] = round(changes.at(-1)!);
    for (const [name, query] of Object.entries(reads)) {
      const ms = await timed(() => readCatalog(db.pool, { network, limit: 50, ...query }));
      details[`page by ${name}, ${size} listings, ms`] = round(ms);
    }
  }
  for (const size of scaled(attestationsFull)) {
    await attest(db, size);
    details[`attestation after ${size}, ms`] = round(await timed(() => attestOnce(db)));
  }
  return {
    name: 'growth',
    unit: 'ms',
    value: round(changes.at(-1)!),
    limit: round(changes[0]!),
    limitName: 'the same change in the smallest catalog',
    ratio: changes[0]! / changes.at(-1)!,
    aim: 0.7,
    details,
  };
}

const round = (ms: number) => Math.round(ms * 100) / 100;

/** The median time of the work, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const before = performance.now();
    await work();
    times.push(performance.now() - before);
  }
  return median(times);
}

const serviceType = (n: string) => `'0x' || lpad(to_hex(${n}), 64, '0') || '::adaptor::Adaptor'`;

/** Adds listings up to a size, each with a manifest of its own of about two kilobytes, and brings their entries up to date. */
async function fill(db: Database, size: number): Promise<void> {
  await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from listings');
    const added = `generate_series(${rows[0]!.count + 1}, ${size}) n`;
    await client.query(`insert into manifests (hash, body) select lpad(to_hex(n), 64, '0'), jsonb_build_object(
        'name', (array['Vault', 'Swap', 'Market', 'Staking'])[n % 4 + 1] || ' ' || n,
        'category', (array['Lend', 'Swap', 'Other'])[n % 3 + 1], 'summary', 'Number ' || n || ' of many adaptors.',
        'supportedCoins', jsonb_build_array('*'), 'ops', '[]'::jsonb, 'serviceType', ${serviceType('n')},
        'padding', repeat(md5(n::text), 60)) from ${added}`);
    await client.query(`insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
      select '${network}', lpad(to_hex(n), 64, '0'), 'walrus://' || n, 'verified', null from ${added}`);
    await client.query(`insert into service_usage (network, service_type, actions, unique_vaults, last_action_at)
      select '${network}', ${serviceType('n')}, (n * 7919) % 1000, n % 50, now() from ${added}`);
    await client.query(`insert into listings (network, service_type, publisher, raw_service_type, name, name_skeleton,
        package_id, manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
        registered_tx_index, registered_event_index, updated_at, publisher_check, witness_check, next_check_at)
      select '${network}', ${serviceType('n')}, '0x' || lpad(to_hex(n % 500), 64, '0'), ${serviceType('n')},
        m.body ->> 'name', lower(m.body ->> 'name'), '0x' || lpad(to_hex(n), 64, '0'), 'walrus://' || n, m.hash, 1, true,
        now(), n, 0, 0, now(), 'verified', 'valid', null
      from ${added} join manifests m on m.hash = lpad(to_hex(n), 64, '0')`);
    const listed = await client.query<{ serviceType: string; publisher: string }>(
      'select service_type as "serviceType", publisher from listings',
    );
    await refreshEntries(client, await lockCatalog(client, network), listed.rows);
  });
  await db.pool.query('analyze');
}

/** One listing gets another version, with a manifest that is known. */
async function change(db: Database, size: number): Promise<void> {
  const n = 1 + Math.floor(Math.random() * size);
  await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ serviceType: string; publisher: string }>(
      `update listings set version = version + 1, updated_at = now() where network = $1 and service_type = ${serviceType('$2::int')}
        returning service_type as "serviceType", publisher`,
      [network, n],
    );
    await refreshEntries(client, await lockCatalog(client, network), rows);
  });
}

let checkpoint = 1_000_000;

/** Attestations of one service by addresses of their own, up to a count. */
async function attest(db: Database, count: number): Promise<void> {
  await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ count: number }>('select count(*)::int as count from attestations');
    const from = ++checkpoint;
    await client.query(`insert into attestations (network, checkpoint, tx_index, event_index, service_type, attester, score,
        comment_uri, "timestamp")
      select '${network}', ${from}, n, 0, ${serviceType('1')}, '0x' || lpad(to_hex(n), 64, '0'), 1 + n % 5, '', now()
      from generate_series(${rows[0]!.count + 1}, ${count}) n`);
    await foldReviews(client, await lockCatalog(client, network), from);
  });
  await db.pool.query('analyze');
}

async function attestOnce(db: Database): Promise<void> {
  await inTransaction(db.pool, async (client: ClientBase) => {
    const at = ++checkpoint;
    await client.query(
      `insert into attestations (network, checkpoint, tx_index, event_index, service_type, attester, score, comment_uri,
          "timestamp") values ($1, $2, 0, 0, ${serviceType('1')}, $3, 5, '', now())`,
      [network, at, `0x${at.toString(16).padStart(64, 'a')}`],
    );
    await foldReviews(client, await lockCatalog(client, network), at);
  });
}
