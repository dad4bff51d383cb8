import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { Random } from '../../../test/support/frames/random.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { inSnapshot } from '../../transaction.ts';
import { FirstPageReader } from './first-page.ts';
import { pageEntriesMax } from './page-statement.ts';

const network = 'testnet';

test('a page that is kept up to date by what changes is the page that is read as a whole', async () => {
  const db = await createTestDatabase();
  const random = new Random(7);
  const { serviceType: original } = await readModelBuilder(db).listing({ manifest: { name: 'Lagoon' } });
  const { rows } = await db.pool.query<{ list: string }>(
    `select string_agg(column_name, ', ') as list from information_schema.columns
      where table_name = 'catalog_entries' and is_generated = 'NEVER'`,
  );
  const columns = rows[0]!.list;
  let added = 0;
  /** Adds copies of the first entry. Some share a name. */
  async function add(count: number, revision: number) {
    await db.pool.query(
      `insert into catalog_entries (${columns}) select ${columns} from (
        select (jsonb_populate_record(e, jsonb_build_object('service_type', e.service_type || n, 'revision', $3::int,
          'name_skeleton', 'name ' || n % 400, 'registered_checkpoint', n, 'actions', (n * 7919) % 1000))).*
        from catalog_entries e cross join generate_series($1::int, $2::int) n where e.service_type = $4) copies`,
      [added + 1, added + count, revision, original],
    );
    added += count;
  }
  await add(pageEntriesMax + 300, 1);

  const some = (count: number) =>
    `service_type in (select service_type from catalog_entries order by md5(service_type || ${random.integer(1e9)}) limit ${count})`;
  const of = (revision: number, count: number) => ({
    use: `update catalog_entries set actions = ${random.integer(1_000)}, revision = ${revision} where ${some(count)}`,
    name: `update catalog_entries set name_skeleton = 'name ${random.integer(400)}', revision = ${revision} where ${some(count)}`,
    hide: `update catalog_entries set publisher_verified = not publisher_verified, revision = ${revision} where ${some(count)}`,
    leave: `with gone as (delete from catalog_entries where ${some(count)} and service_type <> '${original}'
      returning network, service_type, publisher)
      insert into catalog_removals select network, service_type, publisher, ${revision} from gone
      on conflict (network, service_type, publisher) do update set revision = excluded.revision`,
  });
  const kept = new FirstPageReader(network);
  const read = async (reader: FirstPageReader) => {
    const { ageMs: _, cursorAt, ...page } = await inSnapshot(db.pool, (client) => reader.read(client));
    return { ...page, cursors: page.keys.map((_, at) => cursorAt(at)) };
  };
  for (let revision = 2; revision < 90; revision++) {
    const kind = random.pick(['use', 'use', 'name', 'hide', 'leave', 'add'] as const);
    const count = random.chance(0.1) ? 250 : 1 + random.integer(6);
    if (kind === 'add') await add(count, revision);
    else await db.pool.query(of(revision, count)[kind]);
    await db.pool.query(
      `update catalog_state set version = $1, shown = (select count(*) from catalog_entries where shown)`,
      [revision],
    );
    expect([kind, count, await read(kept)]).toEqual([kind, count, await read(new FirstPageReader(network))]);
  }
});

test('an entry shows a new listing of its name, although a stranger changes a listing of its service type meanwhile', async () => {
  const db = await createTestDatabase();
  const seed = readModelBuilder(db);
  const { serviceType } = await seed.listing({ manifest: { name: 'Lagoon' } });
  const stranger = { serviceType, row: { publisherCheck: 'unverified' as const } };
  await seed.listing(stranger);
  const read = async (reader: FirstPageReader) =>
    (await inSnapshot(db.pool, (client) => reader.read(client))).keys;
  const kept = new FirstPageReader(network);
  await read(kept);
  await seed.listing({ manifest: { name: 'Lagoon' } });
  await seed.listing(stranger);
  expect(await read(kept)).toEqual(await read(new FirstPageReader(network)));
});
