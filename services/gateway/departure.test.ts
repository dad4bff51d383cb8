import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { useTestGateway } from '../../test/support/gateway.ts';

const gateway = useTestGateway(async (seed) => {
  await seed.source();
  await seed.listing();
});

const query = '{ adaptors(first: 5, filter: { q: "lend" }) { edges { node { serviceType } } } }';

test.each([
  ['a search of the catalog', '/api/adaptors?q=lend'],
  ['a query of the graph', `/graphql?query=${encodeURIComponent(query)}`],
])('the statements of %s end when its caller leaves, and others are served', async (_, path) => {
  const get = async (signal?: AbortSignal) => {
    const answer = await fetch(`${gateway.url}${path}`, {
      headers: { accept: 'application/json' },
      signal: signal ?? null,
    });
    return { status: answer.status, errors: (await answer.json()).errors };
  };
  // A lock holds the statements as a large table would.
  const lock = await gateway.db.pool.connect();
  // Read outside the lock's transaction, which would keep its first list of connections to its end.
  const countWaiting = async () => {
    const { rows } = await gateway.db.pool.query(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].count;
  };
  try {
    await lock.query('begin; lock table catalog_entries in access exclusive mode');
    const leaving = new AbortController();
    const left = get(leaving.signal);
    await eventually(async () => expect(await countWaiting()).toBeGreaterThan(0));
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(async () => expect(await countWaiting()).toBe(0));
  } finally {
    await lock.query('rollback');
    lock.release();
  }
  expect(await get()).toEqual({ status: 200, errors: undefined });
});
