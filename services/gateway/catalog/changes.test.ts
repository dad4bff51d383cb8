import { expect, test } from 'vitest';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';
import { changesBody } from './route.ts';

const listed: SeededListing[] = [];
const gateway = useTestGateway(async (seed) => {
  for (let n = 0; n < 10; n++) listed.push(await seed.listing());
  await seed.listing({ row: { publisherCheck: 'unverified' } });
});

async function changes(query: string) {
  const answer = await fetch(`${gateway.url}/api/adaptors?${query}`);
  expect([query, answer.status]).toEqual([query, 200]);
  return changesBody.parse(await answer.json());
}

/** A copy of the catalog that follows its revisions. */
function openCopy(include = '') {
  const entries = new Map<string, unknown>();
  let next = 0;
  return {
    entries,
    async follow(): Promise<number> {
      let pages = 0;
      for (let more = true, cursor = ''; more; pages++) {
        const body = await changes(`sinceRevision=${next}${cursor}${include}`);
        for (const { serviceType, publisher } of body.removed) entries.delete(`${serviceType} ${publisher}`);
        for (const entry of body.changed) entries.set(`${entry.serviceType} ${entry.publisher}`, entry);
        expect(body.nextRevision).toBeGreaterThanOrEqual(next);
        next = body.nextRevision;
        cursor = body.nextCursor ? `&cursor=${body.nextCursor}` : '';
        more = body.hasMore;
        if (!more) expect(next).toBe(body.revision);
      }
      return pages;
    },
  };
}

async function whole(include = '') {
  const answer = await fetch(`${gateway.url}/api/adaptors?sort=name&limit=500${include}`);
  const { adaptors } = await answer.json();
  return new Map(adaptors.map((entry: SeededListing) => [`${entry.serviceType} ${entry.publisher}`, entry]));
}

test('a copy that follows the revisions is the catalog, also after entries left it', async () => {
  const { seed, db } = gateway;
  const [copy, wide] = [openCopy(), openCopy('&include=unverified')];
  const isCurrent = async () => {
    await Promise.all([copy.follow(), wide.follow()]);
    expect(copy.entries).toEqual(await whole());
    expect(wide.entries).toEqual(await whole('&include=unverified'));
  };
  await isCurrent();
  expect([copy.entries.size, wide.entries.size]).toEqual([10, 11]);
  await seed.attestation(listed[3]!.serviceType, address(5), 4);
  await seed.listing();
  await db.pool.query('update listings set listed = false where service_type = $1', [listed[4]!.serviceType]);
  await db.pool.query("update listings set publisher_check = 'unverified' where service_type = $1", [
    listed[5]!.serviceType,
  ]);
  await seed.refresh();
  await isCurrent();
  expect([copy.entries.size, wide.entries.size]).toEqual([9, 11]);
  await db.pool.query('update listings set listed = true');
  await seed.refresh();
  await isCurrent();
  expect([copy.entries.size, wide.entries.size]).toEqual([10, 12]);
});

test('only what changed after the revision is sent', async () => {
  const { revision } = await changes('sinceRevision=0');
  await gateway.seed.attestation(listed[1]!.serviceType, address(7), 3);
  const body = await changes(`sinceRevision=${revision}`);
  expect(body).toMatchObject({
    changed: [{ serviceType: listed[1]!.serviceType }],
    removed: [],
    nextRevision: revision + 1,
    hasMore: false,
  });
});

test('an answer ends with a whole revision, unless one alone is too large', async () => {
  const { db, seed } = gateway;
  const { revision } = await changes('sinceRevision=0');
  // The same rows as transactions of 600 and 1,500 removals leave.
  await db.pool.query(
    `insert into catalog_removals select 'testnet', n::text, 'p', $1::int + case when n <= 600 then 1 when n <= 1200 then 2 else 3 end
      from generate_series(1, 2700) n`,
    [revision],
  );
  for (let n = 0; n < 3; n++) await seed.changed();
  const first = await changes(`sinceRevision=${revision}`);
  expect(first).toMatchObject({ nextRevision: revision + 1, hasMore: true });
  expect(first.nextCursor).toBeUndefined();
  expect(first.removed).toHaveLength(600);
  const second = await changes(`sinceRevision=${first.nextRevision}`);
  expect(second.removed).toHaveLength(600);
  const third = await changes(`sinceRevision=${revision + 2}`);
  expect(third).toMatchObject({ nextRevision: revision + 2, hasMore: true });
  expect(third.removed).toHaveLength(1000);
  const last = await changes(`sinceRevision=${revision + 2}&cursor=${third.nextCursor}`);
  expect(last).toMatchObject({ nextRevision: revision + 3, hasMore: false });
  expect(new Set([...third.removed, ...last.removed].map((key) => key.serviceType)).size).toBe(1500);
});

test.each([
  ['sinceRevision=1&q=swap', 'invalid_query'],
  ['sinceRevision=1&ids=0x1::a::B', 'invalid_query'],
  ['sinceRevision=-1', 'invalid_query'],
  ['sinceRevision=999999', 'bad_cursor'],
  ['sinceRevision=1&cursor=abc', 'bad_cursor'],
])('%s is refused: %s', async (query, code) => {
  const answer = await fetch(`${gateway.url}/api/adaptors?${query}`);
  expect([answer.status, (await answer.json()).code]).toEqual([400, code]);
});
