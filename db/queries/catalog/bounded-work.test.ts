import type { ClientBase } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import { findLargest, measureWork, type StatementWork } from '../../../test/support/statement-work.ts';
import { readAgentsAt } from '../agents.ts';
import { readDueJobs } from '../job-checks.ts';
import { addUsage } from '../usage.ts';
import { readCapsMintedFor } from '../wallets/caps.ts';
import { recountServices } from './counts.ts';
import { addLinks, addPayments, storePayees } from './credits.ts';
import { makeLinkedOwnersDue, makeOwnersDue } from './due-credits.ts';
import { queueWallets } from './hires.ts';
import { everVerifiedMax, refreshEntries } from './maintain.ts';
import { ranking, refreshDueRanks, refreshRanks } from './ranks.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';

const network = 'testnet';
/** Rows that a stranger added, for gas alone. */
const many = 20_000;
/**
 * Rows that a statement may read: a transaction computes 500 credits, and compares up to 20 publishers and 100 other uses
 * for each.
 */
const readMax = 500 * 300;
/** Actions of a batch of the indexer. */
const batch = 10_000;
/** Rows that a statement may write: the credits, and what follows from them. */
const writtenMax = 3 * 500;
const step = ranking.fullWeightMist / ranking.weightSteps;

/** A service with many owners, publishers and reviews. */
let service: SeededListing;
const db = useTestDatabase();
beforeAll(async () => {
  service = await readModelBuilder(db).listing();
  for (const [text, values] of generated(service)) await db.pool.query(text, values);
  await refreshDueRanks(db.pool, network);
  await db.pool.query('vacuum analyze');
});

const numbers = `generate_series(1, ${many}) n`;
const credit =
  'insert into rank_credits (network, subject, is_agent, owner, uses, first_use_at, last_use_at, due, is_new)';
/** Credits that were computed before, as those of an owner without payments. */
const computed = `1, timestamptz '2026-01-01Z' + n * interval '1 second', now(), false, false`;

const generated = ({ serviceType }: SeededListing): [string, unknown[]][] => [
  [`insert into ranking_payees (network, address) values ($1, 'payee'), ($1, 'former payee')`, [network]],
  [
    `insert into owner_payments (network, owner, recipient, paid) select $1, 'owner' || n, 'former payee', 1 from ${numbers}`,
    [network],
  ],
  [
    `insert into wallets (network, wallet_id, owner, identity, created_at, created_checkpoint, created_tx_index, created_event_index)
      values ($1, 'w', 'payer', '', now(), 1, 0, 0)`,
    [network],
  ],
  [
    `${credit} select $1, 'pkg' || n || '::a::A', false, 'large owner', ${computed} from ${numbers}`,
    [network],
  ],
  [`${credit} select $1, $2, false, 'owner' || n, ${computed} from ${numbers}`, [network, serviceType]],
  [
    `insert into ranks (network, subject, owners, new_owners, last_use_at, unproven)
      select $1, subject, count(*), 0, now(), count(*) from rank_credits group by subject`,
    [network],
  ],
  [
    `insert into owner_links (network, owner, address, is_transfer) select $1, 'owner' || n, 'linked', false from ${numbers}
      union all select $1, 'large owner', 'delegate' || n, false from ${numbers}`,
    [network],
  ],
  // All services of the large owner have one publisher, and the large service has many.
  [
    `insert into listings (network, service_type, publisher, raw_service_type, package_id, manifest_uri, manifest_hash, version,
        listed, registered_at, registered_checkpoint, registered_tx_index, registered_event_index, updated_at, ever_verified)
      select $1, 'pkg' || n || '::a::A', 'publisher', '', '', '', '', 1, true, now(), 9, n, 0, now(), true from ${numbers}
      union all select $1, $2, 'publisher' || n, '', '', '', '', 1, true, now(), 9, n, 0, now(), n < ${everVerifiedMax} from ${numbers}`,
    [network, serviceType],
  ],
  [
    `insert into reviews (network, service_type, attester, checkpoint, tx_index, event_index, score, comment_uri, "timestamp",
        verified)
      select $1, $2, 'a' || n, 1000, n, 0, 5, '', now(), false from ${numbers}`,
    [network, serviceType],
  ],
  [
    `insert into service_reviews (network, service_type, since_checkpoint, since_tx_index, since_event_index, review_count,
        score_sum, verified_count, verified_sum)
      select network, service_type, registered_checkpoint, registered_tx_index, registered_event_index, ${many}, 5 * ${many}, 0, 0
      from listings where service_type = $2 and publisher = $1
      on conflict (network, service_type) do update set review_count = excluded.review_count, score_sum = excluded.score_sum`,
    [service.publisher, serviceType],
  ],
  [
    `insert into service_vaults (network, service_type, wallet_id, actions, last_action_at)
      select $1, $2, 'w' || n, 1, timestamptz '2026-01-01Z' from ${numbers}`,
    [network, serviceType],
  ],
  [
    `insert into service_actions (network, checkpoint, tx_index, event_index, service_type, wallet_id, actors, coins, taken, brought,
        "timestamp")
      select $1, n, 0, 0, 'type' || n % 100, 'w' || n, '{}', '{}', '{}', '{}', timestamptz '2026-01-01Z' from ${numbers}`,
    [network],
  ],
  [
    `insert into caps (network, minted_checkpoint, minted_tx_index, minted_event_index, cap_id, kind, wallet_id, recipient, parent,
        policy_version, minted_at)
      select $1, n, 0, 0, 'junk' || n, 'bearer', 'stranger' || case when n < ${many / 2} then 1 else n end, 'agent',
        case when n % 2 = 0 then 'x' end, 1, now() from ${numbers}
      union all select $1, 1000000, n, 0, 'cap' || n, 'bearer', 'mine', 'agent', null, 1, now() from ${numbers}`,
    [network],
  ],
  [
    `insert into cap_wallets (network, recipient, wallet_id, minted_at, minted_checkpoint, minted_tx_index, minted_event_index)
      select distinct on (wallet_id) network, recipient, wallet_id, minted_at, minted_checkpoint, minted_tx_index, minted_event_index
      from caps where recipient = 'agent'
      order by wallet_id, minted_checkpoint, minted_tx_index, minted_event_index`,
    [],
  ],
  // Its owner revoked all caps.
  [
    `insert into policies (network, wallet_id, version, initialized_at) values ($1, 'mine', 2, now())`,
    [network],
  ],
  [
    `insert into jobs (network, created_checkpoint, created_tx_index, created_event_index, job_id, wallet_id, provider, payer, state,
        coin, amount, assessor_type, created_at, next_check_at)
      select $1, n, 0, 0, 'j' || n, 'w', 'agent', 'payer', 3, 'coin' || n % 2, 1, 't', now(), timestamptz '2026-01-01Z' from ${numbers}`,
    [network],
  ],
  [
    `insert into provider_earnings (network, provider, coin, jobs, amount)
      select network, provider, coin, count(*), sum(amount) from jobs group by network, provider, coin`,
    [],
  ],
  [
    `insert into agents (network, agent, name, description, skills, version, listed, registered_at, updated_at, completed_jobs, earned)
      values ($1, 'agent', 'Agent', '', '{}', 1, true, now(), now(), ${many}, ${many})`,
    [network],
  ],
];

const underLock = (work: (client: ClientBase, catalog: LockedCatalog) => Promise<unknown>) =>
  measureWork(db.pool, async (client) => work(client, await lockCatalog(client, network)));

const expectBounded = (statements: StatementWork[], bound = { read: readMax, written: writtenMax }) => {
  const { read, written } = findLargest(statements);
  const isBounded = { read: read <= bound.read, written: written <= bound.written };
  expect(isBounded, JSON.stringify(statements)).toEqual({ read: true, written: true });
};

describe('among twenty thousand rows of strangers, no statement under the lock of the catalog touches many', () => {
  test.each<[string, (client: ClientBase, catalog: LockedCatalog) => Promise<unknown>, number?]>([
    [
      'when an owner of many credits pays',
      async (client, catalog) => {
        const payment = { owner: 'large owner', recipient: 'payee', amount: String(step) };
        await makeOwnersDue(client, catalog, await addPayments(client, network, [payment]));
        await refreshRanks(client, catalog);
      },
    ],
    [
      'when an owner of many credits makes the publisher of all its services a delegate',
      async (client, catalog) => {
        await addLinks(client, catalog, [
          { owner: 'large owner', address: 'publisher', isTransfer: false },
          ...Array.from({ length: 20 }, (_, n) => ({
            owner: `owner${n}`,
            address: 'publisher',
            isTransfer: false,
          })),
        ]);
        await refreshRanks(client, catalog);
      },
    ],
    [
      'when an address that many owners made a delegate is verified as a publisher of a service with many owners',
      async (client, catalog) => {
        const { serviceType } = service;
        await makeLinkedOwnersDue(client, catalog, [{ serviceType, publisher: 'linked' }]);
        await refreshRanks(client, catalog);
      },
    ],
    [
      'when a payee that many owners paid is none any longer',
      async (client, catalog) => {
        await storePayees(client, catalog, ['payee']);
        await refreshRanks(client, catalog);
      },
    ],
    [
      'when the wallet of many jobs is read after them',
      async (client, catalog) => {
        await queueWallets(client, catalog, ['w']);
        await refreshRanks(client, catalog);
      },
    ],
    [
      'when a service that has many reviews is verified for the first time',
      async (client, catalog) => {
        await client.query(`delete from service_reviews`);
        await recountServices(client, catalog, [service.serviceType]);
      },
      5_000,
    ],
    [
      'when one listing of many publishers comes back',
      async (client, catalog) => {
        await client.query(`delete from catalog_entries`);
        await refreshEntries(client, catalog, [service]);
      },
      100,
    ],
  ])('%s', async (_, work, read = readMax) =>
    expectBounded(await underLock(work), { read, written: writtenMax }),
  );

  test.each([
    ['an owner with many delegates', `owner = 'large owner'`],
    ['owners with few delegates for a service of many publishers', `owner like 'owner%'`],
  ])('when the credits of %s are due', async (_, which) => {
    await db.pool.query(`update rank_credits set due = true where ${which}`);
    await db.pool.query('vacuum analyze rank_credits');
    expectBounded(await underLock(refreshRanks));
    await refreshDueRanks(db.pool, network);
  });
});

test('the use of a batch that the planner has not seen is added in a number of rows that grows with the batch alone', async () => {
  const statements = await measureWork(db.pool, async (client) => {
    await client.query(
      `insert into service_actions (network, checkpoint, tx_index, event_index, service_type, wallet_id, actors, coins, taken,
          brought, "timestamp")
        select $1, 1000000, n, 0, $2, 'w' || 2 * n, '{}', '{coin}', '{1}', '{0}', timestamptz '2026-01-02Z' + n % 3 * interval '1 day'
        from generate_series(1, ${batch}) n`,
      [network, service.serviceType],
    );
    await addUsage(client, network, { checkpoint: 1_000_000, txIndex: 0 });
  });
  expectBounded(statements, { read: 20 * batch, written: 4 * batch });
});

test('the jobs that are due first are read without the others that are due', async () => {
  const statements = await measureWork(db.pool, (client) => readDueJobs(client as never, network, 50));
  expectBounded(statements, { read: 500, written: 0 });
});

describe('a read for one address reads few of the rows that strangers added for it', () => {
  test.each<[string, (client: ClientBase) => Promise<unknown>]>([
    [
      'the caps of all wallets',
      (client) => readCapsMintedFor(client as never, { network, recipient: 'agent', limit: 50 }),
    ],
    [
      'the caps of one wallet, all of which its owner revoked at once',
      (client) =>
        readCapsMintedFor(client as never, { network, recipient: 'agent', walletId: 'mine', limit: 50 }),
    ],
    ['what an agent earned', (client) => readAgentsAt(client as never, [{ network, address: 'agent' }])],
  ])('%s', async (_, read) => expectBounded(await measureWork(db.pool, read), { read: 1_000, written: 0 }));
});
