import * as fc from 'fast-check';
import type { ClientBase } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { inTransaction } from '../../transaction.ts';
import { countAllDueReviews, countDueReviews, recountServices } from './counts.ts';
import { addActors, foldReviews } from './fold-reviews.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';

const network = 'testnet';
const services = ['pkg1::a::A', 'pkg2::a::A'];
const people = Array.from({ length: 8 }, (_, n) => `person${n}`);

const db = useTestDatabase();
beforeEach(() => reset());

const write = <T>(work: (client: ClientBase, catalog: LockedCatalog) => Promise<T>) =>
  inTransaction(db.pool, async (client) => work(client, await lockCatalog(client, network)));

/** Events that were stored; each checkpoint has three, in one transaction. */
let events = 0;

async function reset(): Promise<void> {
  events = 0;
  await db.pool.query(
    'truncate listings, attestations, reviews, service_reviews, reviews_due, service_actions, service_actors',
  );
}

const next = () => {
  const nth = events++;
  return { checkpoint: Math.floor(nth / 3), eventIndex: nth % 3 };
};

const attest = (serviceType: string, attester: string, score: number) =>
  write(async (client, catalog) => {
    const { checkpoint, eventIndex } = next();
    await client.query(
      `insert into attestations (network, service_type, attester, score, comment_uri, checkpoint, tx_index, event_index, "timestamp")
        values ($1, $2, $3, $4, '', $5, 0, $6, timestamptz '2026-01-01Z' + $7 * interval '1 second')`,
      [network, serviceType, attester, score, checkpoint, eventIndex, events],
    );
    await foldReviews(client, catalog, checkpoint);
  });

const act = (serviceType: string, actor: string) =>
  write(async (client, catalog) => {
    const { checkpoint, eventIndex } = next();
    await client.query(
      `insert into service_actions (network, checkpoint, tx_index, event_index, service_type, wallet_id, actors, coins, taken, brought,
          "timestamp")
        values ($1, $2, 0, $3, $4, 'w', array[$5], '{}', '{}', '{}', now())`,
      [network, checkpoint, eventIndex, serviceType, actor],
    );
    await addActors(client, catalog, { checkpoint, txIndex: 0 });
  });

/** Verifies a publisher that registered the service at an event, and counts the first `max` reviews. */
const verify = (serviceType: string, registeredAt: number, max: number) =>
  write(async (client, catalog) => {
    await client.query(
      `insert into listings (network, service_type, publisher, raw_service_type, package_id, manifest_uri, manifest_hash,
          version, listed, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at,
          ever_verified)
        values ($1, $2, 'publisher' || $3::int, '', '', '', '', 1, true, now(), $3::int / 3, 0, $3::int % 3, now(), true) on conflict do nothing`,
      [network, serviceType, registeredAt],
    );
    await recountServices(client, catalog, [serviceType], max);
  });

/** Counts reviews that are due, in a transaction that fails at its end if `fails` is set. */
async function count(max: number, fails: boolean): Promise<void> {
  const failure = new Error('The process dies.');
  const work = write(async (client, catalog) => {
    await countDueReviews(client, catalog, max);
    if (fails) throw failure;
  });
  await work.catch((error) => expect(error).toBe(failure));
}

const sums = (
  row: string,
) => `count(${row}.score)::int as review_count, coalesce(sum(${row}.score), 0)::int as score_sum,
  (count(*) filter (where ${row}.verified))::int as verified_count,
  coalesce(sum(${row}.score) filter (where ${row}.verified), 0)::int as verified_sum`;

/** The sums that are stored, and those of all reviews after a position. */
async function readSums(position: string) {
  const stored = await db.pool.query(
    `select service_type, review_count, score_sum::int, verified_count, verified_sum::int from service_reviews order by 1`,
  );
  const counted = await db.pool.query(
    `select k.service_type, ${sums('r')} from service_reviews k
      left join reviews r on r.service_type = k.service_type and (r.checkpoint, r.tx_index, r.event_index) > (${position})
      group by k.service_type order by 1`,
  );
  return { stored: stored.rows, counted: counted.rows };
}

const registered = (column: string) =>
  `(select l.registered_${column} from listings l where l.service_type = k.service_type
    order by l.registered_checkpoint, l.registered_event_index limit 1)`;

test('however reviews come while earlier ones are due, and wherever the process dies meanwhile, each counts once', async () => {
  const service = fc.constantFrom(...services);
  const person = fc.constantFrom(...people);
  const score = fc.integer({ min: 1, max: 5 });
  const max = fc.integer({ min: 1, max: 4 });
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ service, attester: person, score }) },
      { weight: 2, arbitrary: fc.record({ service, actor: person }) },
      { weight: 2, arbitrary: fc.record({ service, registeredAt: fc.nat({ max: 20 }), max }) },
      { weight: 4, arbitrary: fc.record({ max, fails: fc.boolean() }) },
    ),
    { minLength: 10, maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      await reset();
      for (const step of taken) {
        if ('attester' in step) await attest(step.service, step.attester, step.score);
        else if ('actor' in step) await act(step.service, step.actor);
        else if ('registeredAt' in step) await verify(step.service, step.registeredAt, step.max);
        else await count(step.max, step.fails);
        const { stored, counted } = await readSums(
          'k.since_checkpoint, k.since_tx_index, k.since_event_index',
        );
        expect(stored).toEqual(counted);
      }
      await countAllDueReviews(db.pool, network);
      const { stored, counted } = await readSums(
        `${registered('checkpoint')}, 0, ${registered('event_index')}`,
      );
      expect(stored).toEqual(counted);
    }),
    { numRuns: 30 },
  );
});

test('the first verification of a service shows the latest reviews at once, and all of them after some transactions', async () => {
  const [serviceType] = services as [string];
  await db.pool.query(
    `insert into reviews (network, service_type, attester, checkpoint, tx_index, event_index, score, comment_uri, "timestamp", verified)
      select $1, $2, 'stranger' || n, n, 0, 0, 5, '', now(), false from generate_series(1, 1200) n`,
    [network, serviceType],
  );
  await readModelBuilder(db).listing({ serviceType, row: { registeredCheckpoint: 0 } });
  const readEntry = async () => {
    const { rows } = await db.pool.query(
      `select review_count, score_sum::int, e.revision = s.version as is_news from catalog_entries e
        join catalog_state s using (network) where service_type = $1`,
      [serviceType],
    );
    return rows[0];
  };
  expect(await readEntry()).toEqual({ review_count: 500, score_sum: 2_500, is_news: true });
  await countAllDueReviews(db.pool, network);
  expect(await readEntry()).toEqual({ review_count: 1_200, score_sum: 6_000, is_news: true });
});
