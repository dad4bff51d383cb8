import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { giveVerdict, offerFor } from '../../../test/support/verified-source.ts';
import { readDueBuild } from '../package-sources/builds.ts';

const packageId = address(0x50);
const network = 'testnet';
const publishers = [1, 2, 3].map((n) => address(0xa0 + n));

const db = useTestDatabase();
let seed: ReturnType<typeof readModelBuilder>;
beforeEach(async () => {
  await db.pool.query(
    'truncate events, listings, listing_versions, catalog_entries, catalog_state, certified_packages, package_sources, offered_sources',
  );
  seed = readModelBuilder(db);
  for (const publisher of publishers)
    await seed.listing({ serviceType: `${packageId}::adaptor::Witness`, publisher });
});

const readVerdicts = async () =>
  (
    await db.pool.query<{ verdict: string | null; revision: number }>(
      'select source_verdict as verdict, revision from catalog_entries order by publisher',
    )
  ).rows;
const listVerdicts = async () => (await readVerdicts()).map(({ verdict }) => verdict);

test('a better verdict changes all entries of the package, page by page, and a worse one changes none', async () => {
  await giveVerdict(db.pool, packageId, 'differs', 1);
  expect(await listVerdicts()).toEqual(['differs', 'differs', 'differs']);
  await giveVerdict(db.pool, packageId, 'exact', 2);
  const rows = await readVerdicts();
  expect(rows.map(({ verdict }) => verdict)).toEqual(['exact', 'exact', 'exact']);
  await giveVerdict(db.pool, packageId, 'not_built', 2);
  expect(await readVerdicts()).toEqual(rows);
});

test('a build whose entries have not all changed stays due, and its repetition changes the rest', async () => {
  const key = await offerFor(db.pool, packageId, 'exact');
  await db.pool.query(`alter table catalog_entries add constraint refused
    check (source_verdict is null or publisher <> '${publishers[2]}')`);
  await expect(giveVerdict(db.pool, packageId, 'exact', 1)).rejects.toThrow('refused');
  expect(await listVerdicts()).toEqual(['exact', 'exact', null]);
  expect(await readDueBuild(db.pool, key)).toBeDefined();
  await db.pool.query('alter table catalog_entries drop constraint refused');
  await giveVerdict(db.pool, packageId, 'exact', 1);
  expect(await listVerdicts()).toEqual(['exact', 'exact', 'exact']);
  expect(await readDueBuild(db.pool, key)).toBeUndefined();
});

test('a newer version that is not verified yet keeps the verdict of the package that is shown', async () => {
  await db.pool.query(
    `update listings set judgement_due = true, package_id = $2, version = 2
    where network = $1 and publisher = $3`,
    [network, address(0x51), publishers[0]],
  );
  await giveVerdict(db.pool, address(0x51), 'differs', 1);
  await giveVerdict(db.pool, packageId, 'same_code', 1);
  expect(await listVerdicts()).toEqual(['same_code', 'same_code', 'same_code']);
  await giveVerdict(db.pool, packageId, 'exact', 1);
  expect(await listVerdicts()).toEqual(['exact', 'exact', 'exact']);
});
