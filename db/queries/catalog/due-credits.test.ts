import * as fc from 'fast-check';
import type { ClientBase } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { inTransaction } from '../../transaction.ts';
import { addLinks, addPayments, storePayees } from './credits.ts';
import { hasDueCredits, makeLinkedOwnersDue, makeOwnersDue } from './due-credits.ts';
import { ranking, refreshDueRanks, refreshRanks } from './ranks.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';

const network = 'testnet';
const payee = 'payee';
const owners = ['owner1', 'owner2', 'owner3'];
const services = Array.from({ length: 8 }, (_, n) => `pkg${n}::a::A`);
const publishers = ['publisher1', 'publisher2', 'owner3'];

const db = useTestDatabase();
beforeEach(() => reset());

const write = <T>(work: (client: ClientBase, catalog: LockedCatalog) => Promise<T>) =>
  inTransaction(db.pool, async (client) => work(client, await lockCatalog(client, network)));

async function reset(): Promise<void> {
  await db.pool.query(
    'truncate listings, owner_payments, owner_links, ranking_payees, owners_due, publishers_due, payees_due, wallets_due, rank_credits, ranks',
  );
  await write((client, catalog) => storePayees(client, catalog, [payee, 'publisher2']));
  // Each owner used some services, and hired an agent.
  await db.pool.query(
    `insert into rank_credits (network, subject, is_agent, owner, uses, first_use_at, last_use_at)
      select $1, s.subject, s.subject = 'publisher1', o.owner, s.nth, timestamptz '2026-02-01Z' + s.nth * interval '1 hour', '2026-03-01'
      from unnest($2::text[]) with ordinality o (owner, nth)
      cross join unnest($3::text[]) with ordinality s (subject, nth) where (o.nth + s.nth) % 4 > 0`,
    [network, owners, [...services, 'publisher1']],
  );
  await refreshDueRanks(db.pool, network);
}

const pay = (owner: string, sui: number, recipient = payee) =>
  write(async (client, catalog) => {
    const payment = { owner, recipient, amount: String(sui * 1e9) };
    await makeOwnersDue(client, catalog, await addPayments(client, network, [payment]));
  });

const verify = (serviceType: string, publisher: string) =>
  write(async (client, catalog) => {
    const { rowCount } = await client.query(
      `insert into listings (network, service_type, publisher, raw_service_type, package_id, manifest_uri, manifest_hash,
          version, listed, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at,
          ever_verified)
        values ($1, $2, $3, '', '', '', '', 1, true, now(), 1, 0, 0, now(), true) on conflict do nothing`,
      [network, serviceType, publisher],
    );
    if (rowCount) await makeLinkedOwnersDue(client, catalog, [{ serviceType, publisher }]);
  });

const link = (owner: string, address: string, isTransfer: boolean) =>
  write((client, catalog) => addLinks(client, catalog, [{ owner, address, isTransfer }]));

/** Computes at most `max` credits, in a transaction that fails at its end if `fails` is set. */
async function refresh(max: number, fails = false): Promise<void> {
  const failure = new Error('The process dies.');
  const work = write(async (client, catalog) => {
    await refreshRanks(client, catalog, max);
    if (fails) throw failure;
  });
  await work.catch((error) => expect(error).toBe(failure));
}

const readTotals = async () =>
  (await db.pool.query('select * from ranks order by subject')).rows.map(
    ({ proven, unproven, review_weight, review_sum, ...row }) => ({
      ...row,
      sums: [proven, unproven, review_weight, review_sum].map((sum) => Number(sum).toFixed(5)),
    }),
  );

const readWeights = async (owner: string) =>
  (
    await db.pool.query<{ unproven: number }>(
      'select unproven::float8 as unproven from rank_credits where owner = $1 order by subject',
      [owner],
    )
  ).rows.map(({ unproven }) => unproven);

test('whenever owners become due, and wherever the process dies meanwhile, ranks are those that are computed from scratch', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        owner: fc.constantFrom(...owners),
        sui: fc.integer({ min: 1, max: 60 }),
        recipient: fc.constantFrom(payee, 'publisher2'),
      }),
      fc.record({
        owner: fc.constantFrom(...owners),
        address: fc.constantFrom(...publishers),
        isTransfer: fc.boolean(),
      }),
      fc.record({ payees: fc.subarray([payee, 'publisher2', 'owner2']) }),
      fc.record({
        service: fc.constantFrom(...services),
        publisher: fc.constantFrom(...publishers),
      }),
      { weight: 3, arbitrary: fc.record({ max: fc.integer({ min: 1, max: 6 }), fails: fc.boolean() }) },
    ),
    { minLength: 5, maxLength: 30 },
  );
  let linked = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      await reset();
      for (const step of steps) {
        if ('sui' in step) await pay(step.owner, step.sui, step.recipient);
        else if ('address' in step) await link(step.owner, step.address, step.isTransfer);
        else if ('payees' in step)
          await write((client, catalog) => storePayees(client, catalog, step.payees));
        else if ('service' in step) await verify(step.service, step.publisher);
        else await refresh(step.max, step.fails);
      }
      for (let n = 0; await hasDueCredits(db.pool, network); n++) {
        expect(n).toBeLessThan(200);
        await refresh(3);
      }
      const maintained = await readTotals();
      await db.pool.query(`truncate ranks; update rank_credits set due = true, is_new = null, proven = 0, unproven = 0,
        review_weight = 0, review_sum = 0`);
      await refreshDueRanks(db.pool, network);
      expect(await readTotals()).toEqual(maintained);
      linked += (await db.pool.query('select from rank_credits where proven = 0 and unproven = 0')).rowCount!;
    }),
    { numRuns: 40 },
  );
  expect(linked).toBeGreaterThan(0);
});

test('an owner that pays while its credits become due changes all of them', async () => {
  await pay('owner1', 10);
  await refresh(2);
  await pay('owner1', 10);
  while (await hasDueCredits(db.pool, network)) await refresh(2);
  // Half of what a new owner without payments counts would be 0.25.
  const steps = 20e9 / ranking.fullWeightMist;
  const weights = await readWeights('owner1');
  expect(weights.length).toBeGreaterThan(4);
  for (const weight of weights) expect([1 - steps, (1 - steps) * ranking.newWeight]).toContainEqual(weight);
});

test('an owner with many credits that pays again and again holds up no other owner', async () => {
  await db.pool.query(
    `insert into rank_credits (network, subject, is_agent, owner, uses, first_use_at, last_use_at, due)
      select $1, 'many' || n || '::a::A', false, 'many', 1, now(), now(), false from generate_series(1, 3000) n`,
    [network],
  );
  await pay('many', 1);
  await refresh(500);
  await pay('owner1', 100);
  for (let n = 0; n < 3; n++) {
    await pay('many', 1);
    await refresh(500);
  }
  expect(await readWeights('owner1')).toEqual((await readWeights('owner1')).map(() => 0));
  expect(await hasDueCredits(db.pool, network)).toBe(true);
});
