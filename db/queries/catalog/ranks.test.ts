import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { addLinks, addOwners, addPayments, storePayees } from './credits.ts';
import { makeOwnersDue } from './due-credits.ts';
import { refreshEntries } from './maintain.ts';
import { ranking, refreshDueRanks, refreshRanks } from './ranks.ts';
import { lockCatalog } from './revision.ts';

const network = 'testnet';
const payee = address(0xfa);
const sui = 1_000_000_000;
const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

let seed: ReturnType<typeof readModelBuilder>;
let listed: SeededListing[];
let checkpoint = 0;
const db = useTestDatabase();
beforeEach(() => reset());

async function reset(): Promise<void> {
  await db.pool.query(`truncate listings, listing_versions, manifests, manifest_fetches, attestations, reviews, service_reviews, events, wallets,
    delegates, service_usage, service_actors, service_actions, owner_payments, owner_links, ranking_payees, rank_credits, ranks,
    owners_due, publishers_due, payees_due, wallets_due, catalog_entries, catalog_removals, catalog_state`);
  seed = readModelBuilder(db);
  listed = [];
  checkpoint = 1_000;
  for (let n = 0; n < 3; n++) listed.push(await seed.listing({ usage: { actions: 0, uniqueVaults: 0 } }));
  await name(payee);
}

const write = (
  work: Parameters<typeof inTransaction>[1] extends (client: infer Client) => unknown
    ? (client: Client, catalog: Awaited<ReturnType<typeof lockCatalog>>) => Promise<unknown>
    : never,
) => inTransaction(db.pool, async (client) => work(client, await lockCatalog(client, network)));

/** Names the payees of the operator. */
const name = (...payees: string[]) =>
  write(async (client, catalog) => {
    await storePayees(client, catalog, payees);
    await refreshRanks(client, catalog);
  });

interface Use {
  owner: string;
  /** Position of the service in `listed`. */
  service?: number;
  times?: number;
  /** `owner` by default. */
  signedBy?: 'owner' | 'delegate' | null;
  /** Days after the start. */
  at?: number;
  /** Days after the start at which the wallet was created. */
  createdAt?: number;
}

/** Stores the use of a service by the wallet of an owner, as the indexer does. */
async function use({
  owner,
  service = 0,
  times = 1,
  signedBy = 'owner',
  at = 100,
  createdAt = 0,
}: Use): Promise<void> {
  const created = new Date(start + createdAt * day);
  const position = { createdCheckpoint: 1, createdTxIndex: 0, createdEventIndex: 0 };
  await db.orm
    .insert(tables.wallets)
    .values({ network, walletId: `w ${owner}`, owner, identity: owner, createdAt: created, ...position })
    .onConflictDoNothing();
  const timestamp = new Date(start + at * day);
  const { serviceType } = listed[service]!;
  const from = ++checkpoint;
  await db.orm.insert(tables.serviceActions).values(
    Array.from({ length: times }, (_, txIndex) => ({
      network,
      checkpoint: from,
      txIndex,
      eventIndex: 0,
      serviceType,
      walletId: `w ${owner}`,
      owner,
      signedBy,
      actors: [owner],
      timestamp,
    })),
  );
  await db.pool.query(
    'update service_usage set last_action_at = greatest(last_action_at, $2) where service_type = $1',
    [serviceType, timestamp],
  );
  await write(async (client, catalog) => {
    await addOwners(client, catalog, { checkpoint: from, txIndex: 0 });
    await refreshRanks(client, catalog);
  });
}

async function pay(owner: string, amountSui: number, recipient = payee): Promise<void> {
  await write(async (client, catalog) => {
    const payment = { owner, recipient, amount: String(amountSui * sui) };
    const payers = await addPayments(client, network, [payment]);
    await makeOwnersDue(client, catalog, payers);
    await refreshRanks(client, catalog);
  });
}

const link = (owner: string, address: string, isTransfer: boolean) =>
  write(async (client, catalog) => {
    await addLinks(client, catalog, [{ owner, address, isTransfer }]);
    await refreshRanks(client, catalog);
  });

interface Ranked {
  rank: number;
  owners: number;
  newOwners: number;
}

async function read(service = 0): Promise<Ranked> {
  const { rows } = await db.pool.query<Ranked>(
    `select rank::float8 as rank, owners, new_owners as "newOwners" from catalog_entries where service_type = $1`,
    [listed[service]!.serviceType],
  );
  return rows[0]!;
}

/** Highest factor by reviews: five stars alone. */
const ratingMax = 0.72 + 0.08 * 5;
/** Factor of a use on a day after the start. */
const grown = (at: number) => 2 ** (at / ranking.halfLifeDays);

test('each further independent owner raises the rank, and by no more than its bound', async () => {
  let before = 0;
  for (let n = 1; n <= 6; n++) {
    await use({ owner: address(n), times: 200 });
    await pay(address(n), 1_000);
    const { rank, owners } = await read();
    expect(owners).toBe(n);
    expect(rank).toBeGreaterThan(before);
    expect(rank - before).toBeLessThanOrEqual(grown(100) + 0.01);
    before = rank;
  }
});

test('the uses of one owner count ever less, and not beyond the bound', async () => {
  await use({ owner: address(1) });
  await pay(address(1), 100);
  const ranks = [(await read()).rank];
  for (const times of [10, 52, 500]) {
    await use({ owner: address(1), times });
    ranks.push((await read()).rank);
  }
  expect(ranks[1]).toBeGreaterThan(ranks[0]!);
  expect(ranks[2]).toBeCloseTo(grown(100), 1);
  expect(ranks[3]).toBe(ranks[2]);
});

test('a use counts half as much as one that is a half-life younger', async () => {
  for (const [service, at] of [100, 100 + ranking.halfLifeDays].entries()) {
    await use({ owner: address(service + 1), service, times: 63, at });
    await pay(address(service + 1), 100);
  }
  expect((await read(1)).rank / (await read(0)).rank).toBeCloseTo(2, 2);
});

describe('what others do to the wallet of a proven owner', () => {
  const oneUse = Math.log(2) / Math.log(1 + ranking.fullUses);
  const readProven = async () => {
    const { rows } = await db.pool.query<{ proven: number }>(
      'select proven::float8 as proven from ranks where subject = $1',
      [listed[0]!.serviceType],
    );
    return rows[0]?.proven;
  };
  beforeEach(() => pay(address(1), 100));

  test('adds no owner if the service does it alone', async () => {
    await use({ owner: address(1), times: 63, signedBy: null });
    expect(await readProven()).toBeUndefined();
  });

  test('adds as much as one use that the owner signed, if a delegate does it, however often', async () => {
    await use({ owner: address(1), times: 63, signedBy: 'delegate' });
    expect(await readProven()).toBeCloseTo(oneUse * grown(100), 4);
    expect(await read()).toMatchObject({ owners: 1 });
    await use({ owner: address(1), service: 1 });
    expect((await read()).rank / (await read(1)).rank).toBeCloseTo(1, 2);
  });

  test('adds nothing to what the owner signed, and renews none of it', async () => {
    await use({ owner: address(1), times: 63 });
    const signed = await readProven();
    for (const signedBy of ['delegate', null] as const) {
      await use({ owner: address(1), at: 101, times: 63, signedBy });
      expect(await readProven()).toBe(signed);
    }
    // Once what the owner signed has faded below one use, the delegate's use is the greater part.
    await use({ owner: address(1), at: 2_000, signedBy: 'delegate' });
    expect(await readProven()).toBeCloseTo(oneUse * grown(2_000), 3);
  });
});

test('a payment counts the same however many wallets split it, but for the credit that needs no payment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 8 }),
      fc.integer({ min: 1, max: 100 }),
      async (parts, paid) => {
        await reset();
        await use({ owner: address(1), service: 0, times: 63 });
        await pay(address(1), paid);
        for (let n = 0; n < parts; n++) {
          await use({ owner: address(10 + n), service: 1, times: 63 });
          await pay(address(10 + n), paid / parts);
        }
        const gain = (await read(1)).rank - (await read(0)).rank;
        expect(gain).toBeLessThanOrEqual(ranking.unprovenMax * grown(100));
        expect(gain).toBeGreaterThanOrEqual(-0.01);
      },
    ),
    { numRuns: 8 },
  );
});

test('owners that paid nothing to a payee stay below one that did, however many, old and busy they are', async () => {
  await db.pool.query(
    `insert into rank_credits (network, subject, is_agent, owner, uses, wallet_at, first_use_at, last_use_at)
     select $1, type, false, 'sybil' || n, 1000, $3::timestamptz - interval '5 years', $3, $3
     from unnest($2::text[]) type cross join generate_series(1, 3000) n`,
    [network, [listed[0]!.serviceType, listed[1]!.serviceType], new Date(start + 100 * day)],
  );
  await use({ owner: address(1), times: 1 });
  await refreshDueRanks(db.pool, network);
  const { rank, owners } = await read();
  expect(owners).toBe(3_001);
  expect(rank).toBeLessThan(ranking.unprovenMax * grown(100));
});

describe('what an owner pays does not count', () => {
  test.each([
    [
      'to an address that the operator does not name',
      async (owner: string) => pay(owner, 500, address(0xbad)),
    ],
    [
      'if it publishes the service',
      async (owner: string) => {
        await db.pool.query('update listings set publisher = $1 where service_type = $2', [
          owner,
          listed[0]!.serviceType,
        ]);
        await pay(owner, 500);
      },
    ],
    [
      'if the publisher is a delegate of its wallet',
      async (owner: string) => {
        await pay(owner, 500);
        await link(owner, listed[0]!.publisher, false);
      },
    ],
    [
      'if it had a wallet that belonged to the publisher',
      async (owner: string) => {
        await pay(owner, 500);
        await link(owner, listed[0]!.publisher, true);
      },
    ],
    [
      'if the publisher itself is the payee',
      async (owner: string) => {
        const { publisher } = listed[0]!;
        await name(publisher);
        await pay(owner, 500, publisher);
      },
    ],
  ])('%s', async (_, act) => {
    await use({ owner: address(1), times: 63 });
    await act(address(1));
    const { rows } = await db.pool.query('select proven from ranks where subject = $1', [
      listed[0]!.serviceType,
    ]);
    expect(Number(rows[0].proven)).toBe(0);
  });
});

test('a review counts by what its author paid, and only by an author who used the service', async () => {
  await use({ owner: address(1), times: 63 });
  await pay(address(1), 100);
  const { rank } = await read();
  await seed.attestation(listed[0]!.serviceType, address(2), 1);
  expect((await read()).rank).toBe(rank);
  await db.pool.query('update service_actors set checkpoint = 0');
  await seed.actor(listed[0]!.serviceType, address(1));
  await seed.attestation(listed[0]!.serviceType, address(1), 1);
  const after = (await read()).rank;
  expect(after).toBeLessThan(rank);
  // One author against the weight of the assumption.
  expect(after / rank).toBeCloseTo((0.72 + (0.08 * (17.5 + 1)) / 6) / 1, 2);
  expect(ratingMax).toBeLessThan(1.13);
});

test('new owners are those with a young wallet, and those without use of a service of another package', async () => {
  await use({ owner: address(1) });
  expect(await read()).toMatchObject({ owners: 1, newOwners: 1 });
  await use({ owner: address(1), service: 1, at: 101 });
  expect(await read()).toMatchObject({ owners: 1, newOwners: 1 });
  await use({ owner: address(1), at: 102 });
  expect(await read()).toMatchObject({ owners: 1, newOwners: 0 });
  await use({ owner: address(2), service: 1, createdAt: 90 });
  await use({ owner: address(2), createdAt: 90, at: 101 });
  expect(await read()).toMatchObject({ owners: 2, newOwners: 1 });
});

describe('a payment makes its owner due', () => {
  const step = ranking.fullWeightMist / ranking.weightSteps;
  const add = (recipient: string, ...amounts: number[]) =>
    inTransaction(db.pool, (client) =>
      addPayments(
        client,
        network,
        amounts.map((amount) => ({ owner: address(1), recipient, amount: String(amount) })),
      ),
    );

  test('if it ends a step of the weight, and not within one or beyond the full weight', async () => {
    expect(await add(payee, step - 1)).toEqual([]);
    expect(await add(payee, 1)).toEqual([address(1)]);
    expect(await add(payee, step / 2)).toEqual([]);
    expect(await add(payee, step / 4, step / 4)).toEqual([address(1)]);
    expect(await add(payee, ranking.fullWeightMist)).toEqual([address(1)]);
    expect(await add(payee, ranking.fullWeightMist)).toEqual([]);
  });

  test('by what it paid to one payee, and to no other address', async () => {
    const other = address(0xfb);
    await name(payee, other);
    expect(await add(payee, step - 1)).toEqual([]);
    expect(await add(other, 1)).toEqual([]);
    expect(await add(address(0xbad), 5 * step)).toEqual([]);
  });
});

describe('a newly verified publisher', () => {
  const publisher = address(0xb0);
  const others = 500;
  const register = () => seed.listing({ serviceType: listed[0]!.serviceType, publisher });
  const readProven = async () => {
    const { rows } = await db.pool.query<{ proven: number }>(
      'select proven::float8 as proven from ranks where subject = $1',
      [listed[0]!.serviceType],
    );
    return rows[0]!.proven;
  };
  /** Counts the owners of services that are written meanwhile. */
  const countWritten = async (work: () => Promise<unknown>) => {
    const read = async () => {
      const { rows } = await db.pool.query<{ row: string }>(
        `select concat_ws(' ', ctid, xmin) as row from rank_credits`,
      );
      return new Set(rows.map(({ row }) => row));
    };
    const before = await read();
    await work();
    return (await read()).difference(before).size;
  };
  beforeEach(async () => {
    await db.pool.query(
      `insert into rank_credits (network, subject, is_agent, owner, uses, first_use_at, last_use_at)
        select $1, $2, false, 'other' || n, 1, now(), now() from generate_series(1, ${others}) n`,
      [network, listed[0]!.serviceType],
    );
    await use({ owner: address(1), times: 63 });
  });

  test.each<[string, () => Promise<unknown>]>([
    ['of an owner that it is', () => use({ owner: publisher })],
    ['of an owner that made it a delegate', () => link(address(1), publisher, false)],
    ['of an owner that passed a wallet to it', () => link(address(1), publisher, true)],
    [
      'of an owner that paid it as a payee',
      async () => {
        await name(payee, publisher);
        await pay(address(1), 100, publisher);
      },
    ],
  ])('changes the credit %s, and of no other', async (_, act) => {
    await act();
    expect(await countWritten(register)).toBe(1);
  });

  test('takes the credit of the owners that are linked to it', async () => {
    await pay(address(1), 100);
    await link(address(1), publisher, false);
    expect(await readProven()).toBeGreaterThan(0);
    await register();
    expect(await readProven()).toBe(0);
  });

  test('makes no owner due when it lists the service again, and one that is not linked never does', async () => {
    await link(address(1), publisher, false);
    const listing = await register();
    const refresh = (isListed: boolean) =>
      write(async (client, catalog) => {
        await client.query('update listings set listed = $1 where publisher = $2', [isListed, publisher]);
        await refreshEntries(client, catalog, [listing]);
      });
    const relist = async () => {
      await refresh(false);
      await refresh(true);
    };
    expect(await countWritten(relist)).toBe(0);
    const unlinked = { serviceType: listed[0]!.serviceType, publisher: address(0xb1) };
    expect(await countWritten(() => seed.listing(unlinked))).toBe(0);
  });

  test('leaves the links to the publishers before it', async () => {
    await pay(address(1), 100);
    await link(address(1), listed[0]!.publisher, false);
    await register();
    await use({ owner: address(1), at: 101 });
    expect(await readProven()).toBe(0);
  });
});

test('ranks that were changed step by step are those that are computed from scratch', async () => {
  const owner = fc.integer({ min: 1, max: 4 }).map(address);
  const steps = fc.array(
    fc.oneof(
      fc.record({
        owner,
        service: fc.nat(2),
        times: fc.integer({ min: 1, max: 5 }),
        at: fc.integer({ min: 90, max: 200 }),
        signedBy: fc.constantFrom('owner' as const, 'delegate' as const, null),
      }),
      fc.record({
        owner,
        paid: fc.integer({ min: 1, max: 80 }),
        recipient: fc.constantFrom(payee, address(3)),
      }),
      fc.record({ owner, service: fc.nat(2), score: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ payees: fc.subarray([payee, address(3)]) }),
    ),
    { minLength: 5, maxLength: 25 },
  );
  const totals = async () =>
    (await db.pool.query('select * from ranks order by subject')).rows.map(
      ({ proven, unproven, review_weight, review_sum, ...row }) => ({
        ...row,
        sums: [proven, unproven, review_weight, review_sum].map((sum) => Number(sum).toFixed(5)),
      }),
    );
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      await reset();
      for (const step of steps) {
        if ('payees' in step) await name(...step.payees);
        else if ('paid' in step) await pay(step.owner, step.paid, step.recipient);
        else if ('score' in step)
          await seed.attestation(listed[step.service]!.serviceType, step.owner, step.score);
        else await use(step);
      }
      // An owner is judged as new at its last use, so all are judged once more first.
      await db.pool.query('update rank_credits set due = true');
      await write(async (client, catalog) => refreshRanks(client, catalog));
      const maintained = [await totals(), await Promise.all([0, 1, 2].map(read))];
      await db.pool.query(`truncate ranks; update rank_credits set due = true, is_new = null, proven = 0, unproven = 0,
        review_weight = 0, review_sum = 0`);
      await write(async (client, catalog) => refreshRanks(client, catalog));
      expect([await totals(), await Promise.all([0, 1, 2].map(read))]).toEqual(maintained);
    }),
    { numRuns: 20 },
  );
});

test('owners that are due in numbers are computed in batches of which each is a transaction, with the same ranks', async () => {
  const { serviceType } = listed[0]!;
  await db.pool.query(
    `insert into rank_credits (network, subject, is_agent, owner, uses, first_use_at, last_use_at)
      select $1, $2, false, 'owner ' || n, 1, now(), now() from generate_series(1, 1200) n`,
    [network, serviceType],
  );
  const countDue = async () =>
    (await db.pool.query<{ due: number }>('select count(*) filter (where due)::int as due from rank_credits'))
      .rows[0]!.due;
  await write(refreshRanks);
  expect(await countDue()).toBe(700);
  expect(await read(0)).toMatchObject({ owners: 500 });

  await refreshDueRanks(db.pool, network);
  expect(await countDue()).toBe(0);
  const inBatches = await read(0);
  expect(inBatches).toMatchObject({ owners: 1_200 });

  await db.pool.query(`truncate ranks; update rank_credits set due = true, is_new = null, proven = 0, unproven = 0,
    review_weight = 0, review_sum = 0`);
  await write(async (client, catalog) => refreshRanks(client, catalog, 2_000));
  expect(await read(0)).toEqual(inBatches);
});
