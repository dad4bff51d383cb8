import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paymentCoin, storePayees } from '../../../db/queries/catalog/credits.ts';
import { refreshDueRanks } from '../../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { bindSource, readSource, type SourceState } from '../../../db/queries/sources.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { walletEvents } from '../../../lib/chain/events/wallet.ts';
import type { SourceName } from '../../../lib/config/networks.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { type GeneratedChain, registryPackageId } from '../../../test/support/frames/chain.ts';
import { generateMarket } from '../../../test/support/frames/market/generate.ts';
import { expectedMarket } from '../../../test/support/frames/market/oracle.ts';
import { marketTables, readMarket } from '../../../test/support/frames/market/tables.ts';
import { expectedRatingDays, expectedReviews } from '../../../test/support/frames/market/usage-oracle.ts';
import { transactionMessage } from '../../../test/support/frames/messages.ts';
import { decodedEvents, packageIds } from '../../../test/support/frames/packages.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { agentsSource } from '../sources/agents.ts';
import { escrowSource } from '../sources/escrow.ts';
import { registrySource } from '../sources/registry.ts';
import { rulesSource } from '../sources/rules.ts';
import { type ChainEvent, decodeEvents, type EventData, type Source } from '../sources/source.ts';
import { walletSource } from '../sources/wallet.ts';
import { commitBatch, settleHistory } from './pipeline.ts';

let client: PoolClient;
const db = useTestDatabase();
beforeAll(async () => {
  client = await db.pool.connect();
});
afterAll(async () => {
  client.release();
});

const sources = {
  registry: registrySource as Source<EventData>,
  wallet: walletSource as Source<EventData>,
  rules: rulesSource as Source<EventData>,
  agents: agentsSource as Source<EventData>,
  escrow: escrowSource as Source<EventData>,
};

async function bind(name: SourceName) {
  await client.query(`insert into sources (network, name, chain_id, filter) values ('testnet', $1, '', '')`, [
    name,
  ]);
  return bindSource(client, { network: 'testnet', name, chainId: 'chain' }, { filter: 'filter', first: 0 });
}

/** Number of transactions in the next batch, and `true` if the batch is settled. */
type Cut = { size: number; settle: boolean };

const prefixes = { registry: `${registryPackageId}::registry`, ...packageIds };

const rankingTables =
  'rank_credits, ranks, owner_payments, owner_links, ranking_payees, owners_due, publishers_due, payees_due, wallets_due';

async function empty(): Promise<void> {
  const registryTables = `listings, listing_versions, attestations, service_rating_days, service_reviews, manifests, manifest_fetches, ${rankingTables}`;
  await client.query(
    `truncate events, sources, catalog_state, ${registryTables}, ${marketTables.join(', ')}`,
  );
}

/** Commits the source's part of the chain, cut into batches. */
async function commit(
  name: keyof typeof sources,
  chain: Pick<GeneratedChain, 'transactions'>,
  cuts: Cut[] = [{ size: 50, settle: false }],
  revise: (event: ChainEvent<EventData>) => ChainEvent<EventData>[] = (event) => [event],
  { part = 20, dies = () => false }: { part?: number; dies?: () => boolean } = {},
) {
  const source = sources[name];
  let state = await bind(source.name);
  const perTransaction = chain.transactions
    .map((made) => decodeEvents(transactionMessage(made), source, [prefixes[name]]).flatMap(revise))
    .filter((events) => events.length > 0);
  for (let at = 0, cut = 0; at < perTransaction.length; cut++) {
    const { size, settle } = cuts[cut % cuts.length]!;
    const events = perTransaction.slice(at, at + size).flat();
    at += size;
    const isSettled = settle || at >= perTransaction.length;
    if (isSettled) state = await settleOrDie(source, state, part, dies);
    state = await commitBatch(client, {
      network: 'testnet',
      source,
      state,
      batch: {
        events,
        covered: events.at(-1)?.checkpoint,
        cursor: undefined,
        sinceMs: undefined,
        provider: 'x',
        live: false,
        completes: false,
      },
      checkpointAt: undefined,
      settle: isSettled,
    });
  }
}

/** Settles a history. Each time that `dies` says so, the process dies at the end of a part, and starts again. */
async function settleOrDie(
  source: Source<EventData>,
  state: SourceState,
  part: number,
  dies: () => boolean,
): Promise<SourceState> {
  const failure = new Error('The process dies.');
  const { settle } = source;
  const dying: Source<EventData> = { ...source };
  if (settle)
    dying.settle = async (on, network, from, before) => {
      await settle(on, network, from, before);
      for (const table of source.settledTables ?? []) {
        const { rows } = await client.query(
          `select checkpoint, count(*)::int from ${table}
            where (checkpoint, tx_index) >= ($1, $2) and checkpoint < $3 group by checkpoint order by checkpoint`,
          [from.checkpoint, from.txIndex, before],
        );
        // All but the last checkpoint have fewer rows than a part.
        expect(rows.slice(0, -1).reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(part);
      }
      if (dies()) throw failure;
    };
  for (let from = state; ; ) {
    const history = { network: 'testnet', source: dying, state: from, onProgress: () => undefined } as const;
    try {
      return await settleHistory(client, history, part);
    } catch (error) {
      expect(error).toBe(failure);
      from = (await readSource(client, { network: 'testnet', name: source.name, chainId: 'chain' }))!;
    }
  }
}

test('however a history is cut into batches, whenever and in whatever parts it is settled, and wherever the process dies meanwhile, wallets, rules, agents and jobs are what the events say one by one', async () => {
  const cuts = fc.array(fc.record({ size: fc.integer({ min: 1, max: 120 }), settle: fc.boolean() }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.integer({ min: 1, max: 150 }),
      cuts,
      fc.integer({ min: 1, max: 60 }),
      fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
      async (seed, transactions, cut, part, deaths) => {
        await empty();
        const chain = generateMarket({ seed, transactions, size: 2, kinds: 0.3, oddities: 0.03 });
        const dies = () => deaths.next().value === 0;
        for (const name of ['wallet', 'rules', 'agents', 'escrow'] as const) {
          await commit(name, chain, cut, undefined, { part, dies });
        }
        expect(await readMarket(db)).toEqual(expectedMarket(chain));
      },
    ),
    { numRuns: 12, endOnFailure: true },
  );
});

/**
 * Returns a function that ends each job once, mostly released: so it is on the chain. All payments are made in SUI, up to
 * 100 SUI.
 */
function forRanking(): (event: ChainEvent<EventData>) => ChainEvent<EventData>[] {
  const ended = new Set<unknown>();
  return (event) => {
    const data = event.data as { name: string; fields: Record<string, unknown> } | null;
    if (!data) return [event];
    const { fields } = data;
    const name = data.name === 'job::JobFunded' ? 'job::JobReleased' : data.name;
    if (ended.has(fields.jobId ?? event)) return [];
    if (name === 'job::JobReleased' || name === 'job::JobRefunded') ended.add(fields.jobId);
    if (fields.amount === undefined || !/^(job|policy)::/.test(name)) return [event];
    const amount = String((BigInt(fields.amount as string) % 1_000_000n) * 100_000n);
    return [{ ...event, data: { name, fields: { ...fields, amount, coin: paymentCoin } } }];
  };
}

/** A sum of `numeric` keeps the scale of every number that it had. */
const withoutTrailingZeros = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^(\d+)(?:\.0*|(\.\d*?)0*)$/, '$1$2') : value,
    ]),
  );

/** Reads what the ranking stores, without the lists of the payees. */
async function readRanking() {
  const [credits, ranks, agents, payments, links] = await Promise.all(
    [
      'select * from rank_credits order by subject collate "C", owner collate "C"',
      'select * from ranks order by subject collate "C"',
      'select agent, rank, hirers, new_hirers from agents order by agent collate "C"',
      'select * from owner_payments order by owner collate "C", recipient collate "C"',
      'select * from owner_links order by owner collate "C", address collate "C"',
    ].map(async (text) => (await db.pool.query(text)).rows.map(withoutTrailingZeros)),
  );
  return { credits: credits!, ranks: ranks!, agents: agents!, payments: payments!, links: links! };
}

test('however a history is cut into batches, whenever it is settled, and whichever source is read first, the ranking is the same', async () => {
  const cuts = fc.array(fc.record({ size: fc.integer({ min: 1, max: 120 }), settle: fc.boolean() }), {
    minLength: 1,
  });
  const orders = fc.shuffledSubarray(['wallet', 'agents', 'escrow'] as const, { minLength: 3 });
  // A batch ends within a checkpoint that has more events than a part.
  const splitCheckpoint: [number, Cut[], ('wallet' | 'agents' | 'escrow')[]] = [
    1_251_564_214,
    [
      { size: 11, settle: true },
      { size: 11, settle: false },
      { size: 15, settle: false },
    ],
    ['escrow', 'wallet', 'agents'],
  ];
  const seen = { hires: 0, links: 0, proven: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer(), cuts, orders, async (seed, cut, order) => {
      const chain = generateMarket({ seed, transactions: 150, size: 2, kinds: 1, oddities: 0.03 });
      const payees = [
        ...[...decodedEvents(chain, 'wallet')].map(({ fields }) => fields.recipient),
        ...[...decodedEvents(chain, 'escrow')].map(({ fields }) => fields.provider),
      ].filter((address) => typeof address === 'string');
      const run = async (names: typeof order, cuts: Cut[]) => {
        await empty();
        await inTransaction(db.pool, async (client) =>
          storePayees(client, await lockCatalog(client, 'testnet'), payees),
        );
        for (const name of names) await commit(name, chain, cuts, forRanking());
        // Owners and credits beyond those of one transaction.
        await refreshDueRanks(db.pool, 'testnet');
        return readRanking();
      };
      const whole = await run(['wallet', 'agents', 'escrow'], [{ size: 1_000, settle: true }]);
      expect(await run(order, cut)).toEqual(whole);
      seen.hires += whole.credits.filter((credit) => credit.is_agent).length;
      seen.links += whole.links.length;
      seen.proven += whole.credits.filter(({ proven }) => Number(proven) > 0).length;
    }),
    { numRuns: 10, endOnFailure: true, examples: [splitCheckpoint] },
  );
  expect(
    Object.values(seen).every((count) => count > 0),
    JSON.stringify(seen),
  ).toBe(true);
});

test.each([
  ['the registry', 'registry', 'wallet'],
  ['the wallets', 'wallet', 'registry'],
] as const)('reviews are verified alike when %s came first', async (_, first, second) => {
  for (const seed of [1, 2, 3]) {
    await empty();
    const chain = generateMarket({ seed, transactions: 300, size: 10, actions: 0.2 });
    await commit(first, chain);
    await commit(second, chain);
    // Reviews count from a registration that was verified. No check runs here.
    await client.query('update listings set ever_verified = true');
    const { rows } = await client.query(
      `select service_type as "serviceType", reviews, verified_reviews as verified,
        verified_average_score as "verifiedAverage" from analytics.adaptors order by service_type collate "C"`,
    );
    const expected = expectedReviews(chain);
    expect(rows).toEqual(expected);
    expect(expected.some(({ verified, reviews }) => verified > 0 && verified < reviews)).toBe(true);
  }
});

test('the ratings by day equal a recount over the events, however batches cut them', async () => {
  const cuts = fc.array(fc.record({ size: fc.integer({ min: 1, max: 60 }), settle: fc.boolean() }), {
    minLength: 1,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 1_000 }), cuts, async (seed, cut) => {
      await empty();
      const chain = generateMarket({ seed, transactions: 200, size: 6, checkpointMs: 3_600_000 });
      await commit('registry', chain, cut);
      const { rows } = await client.query(
        `select service_type as "serviceType", day::text, ratings, score_sum::int as "scoreSum"
          from service_rating_days order by (service_type || ' ' || day) collate "C"`,
      );
      const expected = expectedRatingDays(chain);
      expect(rows).toEqual(expected);
      expect(new Set(expected.map(({ day }) => day)).size).toBeGreaterThan(1);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});

describe('the catalog is notified', () => {
  const [address, other] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`];
  const serviceType = `${address}::adaptor::Adaptor`;
  const about = { walletId: other, service: serviceType, coin: `${other}::coin::COIN` };
  const used = {
    type: `${packageIds.wallet}::wallet::CoinDeposited`,
    contents: walletEvents.encode('wallet::CoinDeposited', { ...about, amount: '1' }),
  };
  const budget = {
    type: `${packageIds.wallet}::delegate::ServiceAllowanceChanged`,
    contents: walletEvents.encode('delegate::ServiceAllowanceChanged', {
      ...about,
      delegate: address,
      newAmount: '5',
    }),
  };
  test.each([
    ['when a listed service is used', used, true, 1],
    ['not when another service is used', used, false, 0],
    ['not when a delegate gets a budget', budget, true, 0],
  ])('%s', async (_, event, isListed, expected) => {
    await empty();
    if (isListed) await readModelBuilder(db).listing({ serviceType });
    const version = async () =>
      (await client.query<{ version: number }>('select version from catalog_state')).rows[0]?.version ?? 0;
    const before = await version();
    const transaction = { checkpoint: 7, txIndex: 0, digest: 'digest', timestampMs: 1_000, sender: other };
    await commit('wallet', { transactions: [{ ...transaction, events: [event] }] });
    expect((await version()) - before).toBe(expected);
  });
});
