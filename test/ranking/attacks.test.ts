import { readFile } from 'node:fs/promises';
import type { PoolClient } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { addUses } from '../../db/queries/catalog/credits.ts';
import { readPage } from '../../db/queries/catalog/list.ts';
import { ranking, refreshRanks } from '../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import { phrasesMax } from '../../db/queries/catalog/search.ts';
import { payee } from '../support/owners.ts';
import { useForFile } from '../support/use-for-file.ts';
import { network, openMarket } from './market.ts';
import { findSmallestScale, firstPage, goal, prices } from './price.ts';

const db = useForFile(openMarket);

/** The attacker's wallets, each of another owner. */
interface Wallets {
  count: number;
  /** Listings of the attacker that each uses; 1 by default. */
  promoted?: number;
  /** Uses of each of them by each wallet. */
  uses: number;
  /** SUI that each pays to the payee. */
  paid?: number;
  /** SUI that each pays to addresses of the attacker. It comes back. */
  cycled?: number;
  /** Age in days. */
  age?: number;
  /** Each uses so many listings of other packages, once. */
  otherUses?: number;
  /** Each rates the listing with five stars. */
  praises?: boolean;
  /** Each uses this number of the listings that rank highest and rates them with one star. */
  bombs?: number;
  /** Days since all of its uses but a last one of now, if it is not now. */
  renewedAfter?: number;
  /** `true`: others pay the gas of its transactions. */
  sponsored?: boolean;
}

/** SUI that the attacker does not get back. */
function computeCost({
  count,
  promoted = 1,
  uses,
  paid = 0,
  otherUses = 0,
  praises = false,
  bombs = 0,
  sponsored = false,
}: Wallets): number {
  const reviews = (praises ? 1 : 0) + bombs;
  const gas = prices.wallet + (promoted * uses + otherUses + bombs) * prices.use + reviews * prices.review;
  return count * ((sponsored ? 0 : gas) + paid);
}

/** Runs an attack, reads what it reached, and undoes it. */
async function attack<Reached>(
  wallets: Wallets,
  readReached: (client: PoolClient) => Promise<Reached>,
): Promise<Reached> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await store(client, wallets);
    await refreshRanks(client, await lockCatalog(client, network), Number.MAX_SAFE_INTEGER);
    return await readReached(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Runs an attack. @returns the last place of the promoted listings among those that the catalog shows */
const findPlace = (wallets: Wallets): Promise<number> =>
  attack(wallets, async (client) => {
    const { rows } = await client.query<{ place: number }>(
      `select count(*)::int + cardinality($2::text[]) as place from catalog_entries e
        where e.network = $1 and e.shown and e.service_type <> all ($2::text[])
          and e.rank > (select min(rank) from catalog_entries where network = $1 and service_type = any ($2::text[]))`,
      [network, findPromoted(wallets)],
    );
    return rows[0]!.place;
  });

const findPromoted = ({ promoted = 1 }: Wallets): string[] =>
  db.attacking.slice(0, promoted).map(({ serviceType }) => serviceType);

async function store(client: PoolClient, wallets: Wallets): Promise<void> {
  const { count, uses, paid = 0, cycled = 0, age = 0, otherUses = 0, praises = false, bombs = 0 } = wallets;
  const { renewedAfter = 0 } = wallets;
  const mist = (sui: number) => BigInt(Math.round(sui * 1e9)).toString();
  const owners = `cross join generate_series(1, ${count}) n`;
  const use = (ago: string) => `select '${network}', type.name, false, 'attacker' || n, type.actions,
    now() - ${age} * interval '1 day', now() - interval '${ago}' - interval '1 hour', now() - interval '${ago}', null::timestamptz`;
  const addPromoted = (actions: number, ago: string) =>
    client.query(
      addUses(
        `${use(ago)} from (select name, ${actions}::bigint as actions from unnest($1::text[]) name) type ${owners}`,
      ),
      [findPromoted(wallets)],
    );
  if (renewedAfter > 0) {
    await addPromoted(uses - 1, `${renewedAfter} days`);
    await addPromoted(1, '0 days');
  } else {
    await addPromoted(uses, '0 days');
  }
  if (otherUses > 0) {
    await client.query(
      addUses(
        `${use('0 days')} from (select '0xother' || o || '::a::A' as name, 1 as actions from generate_series(1, ${otherUses}) o) type ${owners}`,
      ),
    );
  }
  await client.query(
    `insert into owner_payments (network, owner, recipient, paid)
      select '${network}', 'attacker' || n, recipient, amount
      from (values ($1, ${mist(paid)}::numeric), ('attacker', ${mist(cycled)}::numeric)) paid (recipient, amount) ${owners}`,
    [payee],
  );
  const insertReviews = `insert into reviews (network, service_type, attester, checkpoint, tx_index, event_index, score, comment_uri,
      "timestamp", verified)
    select '${network}', type.name, 'attacker' || n, 9, 0, 0, type.score, '', now(), true`;
  if (praises) {
    await client.query(
      `${insertReviews} from (select name, 5 as score from unnest($1::text[]) name) type ${owners}`,
      [findPromoted(wallets)],
    );
  }
  if (bombs > 0) {
    const highest = `(select service_type as name, 1 as actions, 1 as score from catalog_entries
      where network = '${network}' and shown order by rank desc limit ${bombs}) type`;
    await client.query(`${insertReviews} from ${highest} ${owners}`);
    await client.query(addUses(`${use('0 days')} from ${highest} ${owners}`));
  }
}

/** Attacks at any scale. Those of `gasOnly` pay nothing but gas. */
const gasOnly: Record<string, (scale: number) => Wallets> = {
  'many new wallets, one use each': (count) => ({ count, uses: 1 }),
  'few wallets with many uses': (scale) => ({ count: 10, uses: scale }),
  'aged wallets that use other listings too': (count) => ({ count, uses: 3, age: 400, otherUses: 3 }),
  'wallets that are just old enough not to be new': (count) => ({ count, uses: 3, age: 30, otherUses: 3 }),
  'aged wallets around a ring of listings of the attacker': (count) => ({
    count,
    uses: 20,
    age: 400,
    otherUses: 5,
  }),
  'value in a circle among own addresses': (count) => ({
    count,
    uses: 5,
    age: 400,
    otherUses: 1,
    cycled: 100_000,
  }),
  'five stars by aged wallets': (count) => ({ count, uses: 1, age: 400, otherUses: 1, praises: true }),
  'one star for the first hundred by aged wallets': (count) => ({
    count: Math.ceil(count / 100),
    uses: 1,
    age: 400,
    otherUses: 1,
    bombs: 100,
  }),
};

const paying: Record<string, (scale: number) => Wallets> = {
  'owners with full weight, each with all its credit': (count) => ({ count, uses: 63, paid: 100 }),
  'twice as many owners with half the weight': (count) => ({ count: 2 * count, uses: 63, paid: 50 }),
  'a hundred times as many with a hundredth': (count) => ({ count: 100 * count, uses: 63, paid: 1 }),
  'one owner that pays for all': (scale) => ({ count: 1, uses: 63, paid: 100 * scale }),
  'owners with full weight and five stars': (count) => ({ count, uses: 63, paid: 100, praises: true }),
  'the same, and one star for the first hundred': (count) => ({
    count,
    uses: 63,
    paid: 100,
    praises: true,
    bombs: 100,
  }),
  'owners with full weight, whose gas others pay': (count) => ({
    count,
    uses: 63,
    paid: 100,
    sponsored: true,
  }),
  'owners with full weight, all but one use a year old': (count) => ({
    count,
    uses: 63,
    paid: 100,
    renewedAfter: 365,
  }),
  'one set of owners with full weight, for ten listings': (count) => ({
    count,
    promoted: 10,
    uses: 63,
    paid: 100,
  }),
};

const scaleMax = { gasOnly: 5_000, paying: 60 };
const cheapest = new Map<string, number>();

describe('gas alone does not lead to the first page', () => {
  test.each(Object.entries(gasOnly))(
    '%s',
    async (_, plan) => {
      expect(await findPlace(plan(scaleMax.gasOnly))).toBeGreaterThan(firstPage);
    },
    120_000,
  );

  test('at any scale: the credit of all owners that paid nothing has a bound below the first page', async () => {
    const { rows } = await db.pool.query<{ rank: number; unit: number }>(
      `select rank::float8, power(2, extract(epoch from now() - '2026-01-01Z')::float8 / (86400 * ${ranking.halfLifeDays})) as unit
        from catalog_entries where network = $1 and shown order by catalog_entries.rank desc offset ${firstPage - 1} limit 1`,
      [network],
    );
    const { rank, unit } = rows[0]!;
    expect(rank / unit).toBeGreaterThan(10 * ranking.unprovenMax);
  });
});

describe(`the first page costs at least ${goal} SUI that do not come back`, () => {
  test.each(Object.entries(paying))(
    '%s',
    async (name, plan) => {
      const reaches = async (scale: number) => (await findPlace(plan(scale))) <= firstPage;
      const scale = await findSmallestScale(reaches, scaleMax.paying);
      const cost = scale && computeCost(plan(scale));
      if (name.startsWith('one owner')) return expect(cost).toBeUndefined();
      expect(cost).toBeGreaterThanOrEqual(goal);
      cheapest.set(name, cost!);
    },
    300_000,
  );

  test('docs/ranking.md states what each attack costs', async () => {
    const text = await readFile('docs/ranking.md', 'utf8');
    const rows = [...cheapest].map(
      ([name, cost]) => `| ${name} | ${Math.round(cost).toLocaleString('en')} SUI |`,
    );
    expect(rows).toHaveLength(Object.keys(paying).length - 1);
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
  });
});

describe('listings with a word as their name, on the first page of its search', () => {
  beforeAll(async () => {
    await db.pool.query(
      `with named as (
          select network, service_type, publisher, case when service_type = any ($1::text[]) then 'Swap' else 'Reef Swap' end as name
          from catalog_entries)
        update catalog_entries e set name = n.name, search_text = lower(n.name) from named n
        where (e.network, e.service_type, e.publisher) = (n.network, n.service_type, n.publisher)`,
      [db.attacking.map(({ serviceType }) => serviceType)],
    );
  }, 120_000);

  /** Runs an attack. @returns the number of the attacker's listings on the page */
  const countFound = (wallets: Wallets): Promise<number> =>
    attack(wallets, async (client) => {
      const page = await readPage(client, { network, q: 'swap', limit: firstPage });
      const own = new Set(db.attacking.map(({ serviceType }) => serviceType));
      return page.entries.filter(({ serviceType }) => own.has(serviceType)).length;
    });
  const promoteAll = (count: number): Wallets => ({
    count,
    promoted: db.attacking.length,
    uses: 63,
    paid: 100,
  });

  test('the first few, at no cost', async () => {
    expect(await countFound({ count: 0, uses: 0 })).toBe(phrasesMax);
    expect(await readFile('docs/ranking.md', 'utf8')).toContain(`The first ${phrasesMax} of them cost`);
  }, 120_000);

  test(`more of them cost at least ${goal} SUI that do not come back`, async () => {
    const reaches = async (scale: number) => (await countFound(promoteAll(scale))) > phrasesMax;
    const scale = await findSmallestScale(reaches, scaleMax.paying);
    const cost = computeCost(promoteAll(scale!));
    expect(cost).toBeGreaterThanOrEqual(goal);
    expect(await readFile('docs/ranking.md', 'utf8')).toContain(
      `a fourth place costs ${Math.round(cost).toLocaleString('en')} SUI`,
    );
  }, 300_000);
});
