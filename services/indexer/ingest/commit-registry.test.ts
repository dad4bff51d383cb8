import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { expect, test, vi } from 'vitest';
import { bindSource, readSource, SourceMovedError, type SourceState } from '../../../db/queries/sources.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { type ChainOptions, generateChain } from '../../../test/support/frames/chain.ts';
import { transactionMessage } from '../../../test/support/frames/messages.ts';
import { expectedTables, readTables } from '../../../test/support/frames/registry-oracle.ts';
import { registrySource } from '../sources/registry.ts';
import { decodeEvents } from '../sources/source.ts';
import { commitBatch, settleHistory } from './pipeline.ts';

const db = useTestDatabase();

const identity = { network: 'testnet', name: 'registry', chainId: 'chain' } as const;

async function empty(): Promise<SourceState> {
  await db.pool.query(
    'truncate events, listings, listing_versions, attestations, manifest_fetches, sources, catalog_state',
  );
  await db.pool.query(
    `insert into sources (network, name, chain_id, filter) values ('testnet', 'registry', '', '')`,
  );
  return withClient((client) => bindSource(client, identity, { filter: 'filter', first: 0 }));
}

async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

const decodeChain = (options: ChainOptions) => {
  const chain = generateChain(options);
  const prefixes = [`${chain.registryPackageId}::registry`];
  const perTransaction = chain.transactions.map((made) =>
    decodeEvents(transactionMessage(made), registrySource, prefixes),
  );
  return { chain, perTransaction };
};

/** Settles what earlier batches left in parts of `part` events, if the batch is settled. */
const commit = (state: SourceState, events: ReturnType<typeof decodeEvents>, settle: boolean, part = 1) =>
  withClient(async (client) => {
    const history = {
      network: 'testnet',
      source: registrySource,
      state,
      onProgress: () => undefined,
    } as const;
    return await commitBatch(client, {
      network: 'testnet',
      source: registrySource,
      state: settle ? await settleHistory(client, history, part) : state,
      batch: {
        events: events as never,
        covered: events.at(-1)?.checkpoint,
        cursor: undefined,
        sinceMs: undefined,
        provider: 'x',
        live: false,
        completes: false,
      },
      checkpointAt: undefined,
      settle,
    });
  });

test('however a history is cut into batches, and whenever and in whatever parts it is settled, the tables are what its events add up to one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.integer({ min: 1, max: 400 }),
      fc.array(fc.record({ size: fc.integer({ min: 1, max: 60 }), settle: fc.boolean() }), { minLength: 1 }),
      fc.integer({ min: 1, max: 40 }),
      async (seed, events, cuts, part) => {
        const { chain, perTransaction } = decodeChain({ seed, events, listings: 12, oddities: 0.1 });
        let state = await empty();
        for (let at = 0, cut = 0; at < perTransaction.length; cut++) {
          const { size, settle } = cuts[cut % cuts.length]!;
          const batch = perTransaction.slice(at, at + size).flat();
          at += size;
          state = await commit(state, batch, settle || at >= perTransaction.length, part);
        }
        expect(await readTables(db)).toEqual(expectedTables(chain));
      },
    ),
    { numRuns: 25 },
  );
});

test('a part of a history that another process has settled is refused, and settled once', async () => {
  const { chain, perTransaction } = decodeChain({ seed: 2, events: 60 });
  const unsettled = await commit(await empty(), perTransaction.flat(), false);
  const settle = (state: SourceState) =>
    withClient((client) =>
      settleHistory(
        client,
        { network: 'testnet', source: registrySource, state, onProgress: () => undefined },
        10,
      ),
    );
  const settled = await settle(unsettled);
  expect(settled.unsettledFrom).not.toEqual(unsettled.unsettledFrom);
  await expect(settle(unsettled)).rejects.toThrow(SourceMovedError);
  await commit(settled, [], true);
  expect(await readTables(db)).toEqual(expectedTables(chain));
});

test('a long history refreshes a listing with its last content, however many parts have a version of it', async () => {
  const { perTransaction } = decodeChain({ seed: 3, events: 400, listings: 8 });
  const unsettled = await commit(await empty(), perTransaction.flat(), false);
  const refreshed = await withClient(async (client) => {
    const query = vi.spyOn(client, 'query');
    const history = { network: 'testnet', source: registrySource, onProgress: () => undefined } as const;
    const state = await settleHistory(client, { ...history, state: unsettled }, 5);
    expect(state.unsettledFrom).not.toEqual(unsettled.unsettledFrom);
    return query.mock.calls
      .map(([asked]) => asked as unknown as { name?: string; values: unknown[][] })
      .filter(({ name }) => name === 'refresh-listings')
      .flatMap(({ values }) => values[1]!);
  });
  const { rows } = await db.pool.query<{ contents: number; removals: number }>(
    `select count(distinct (service_type, publisher)) filter (where listed)::int as contents,
      count(*) filter (where not listed)::int as removals from listing_versions`,
  );
  expect(refreshed.length).toBeLessThanOrEqual(rows[0]!.contents + rows[0]!.removals);
  expect(perTransaction.length).toBeGreaterThan(5 * (rows[0]!.contents + rows[0]!.removals));
});

test('the planner knows how many rows a history has when they are settled', async () => {
  const { perTransaction } = decodeChain({ seed: 4, events: 300 });
  await commit(await commit(await empty(), perTransaction.flat(), false), [], true);
  const { rows } = await db.pool.query(
    `select count(*)::int as stored, (select reltuples::int from pg_class where oid = 'attestations'::regclass) as expected
      from attestations`,
  );
  expect(rows[0].stored).toBeGreaterThan(0);
  expect(rows[0].expected).toBe(rows[0].stored);
});

test('a batch from a state that another process has moved on is refused, and leaves nothing', async () => {
  const { perTransaction } = decodeChain({ seed: 1, events: 20 });
  const stale = await empty();
  const first = perTransaction.slice(0, 5).flat();
  await commit(stale, first, false);
  const before = await readTables(db);
  await expect(commit(stale, first, false)).rejects.toThrow(SourceMovedError);
  expect(await readTables(db)).toEqual(before);
  expect(await withClient((client) => readSource(client, identity))).toMatchObject({
    eventCount: first.length,
  });
});
