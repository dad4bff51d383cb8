import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { refreshRanks } from '../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import { inTransaction } from '../../db/transaction.ts';
import { useTestDatabase } from '../support/database.ts';
import { insertAgents, insertOwners, payee } from '../support/owners.ts';
import { findSmallestScale, firstPage, goal, prices } from './price.ts';

const network = 'testnet';
const agents = 1_000;
/** The attacker's agent. It also hires itself in every attack. */
const agent = 'attacking agent';

const db = useTestDatabase();
beforeAll(async () => {
  await inTransaction(db.pool, async (client) => {
    for (const text of [insertOwners, ...insertAgents(agents)]) await client.query(text);
    await client.query(
      `insert into agents (network, agent, name, description, skills, version, listed, registered_at, updated_at)
        values ($1, $2, '', '', '{}', 1, true, now(), now())`,
      [network, agent],
    );
    await client.query('analyze');
    await refreshRanks(client, await lockCatalog(client, network), Number.MAX_SAFE_INTEGER);
  });
});

/** The attacker's wallets, each of another owner. */
interface Hirers {
  count: number;
  /** Completed jobs by each. What they pay to the agent comes back. */
  jobs: number;
  /** SUI that each pays to the payee. */
  paid?: number;
  /** Age in days. */
  age?: number;
  /** Each hired so many other agents of the attacker before, once. */
  otherAgents?: number;
  /** `true`: others pay the gas of its transactions. */
  sponsored?: boolean;
}

/** SUI that the attacker does not get back. */
function computeCost({ count, jobs, paid = 0, otherAgents = 0, sponsored = false }: Hirers): number {
  const gas = prices.wallet + (jobs + otherAgents) * prices.job;
  return count * ((sponsored ? 0 : gas) + paid);
}

/** Runs an attack. @returns the place of the agent */
async function findPlace({ count, jobs, paid = 0, age = 0, otherAgents = 0 }: Hirers): Promise<number> {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    const insertCredits = `insert into rank_credits (network, subject, is_agent, owner, uses, wallet_at, first_use_at, last_use_at)
      select '${network}', subject, true, owner, jobs, now() - ${age} * interval '1 day', now() - hired * interval '1 day', now()`;
    await client.query(
      `${insertCredits} from (
          select $1 as subject, 'attacker' || n as owner, ${jobs} as jobs, 1 as hired from generate_series(1, ${count}) n
          union all select $1, $1, 100000, 1
          union all select 'other agent ' || o, 'attacker' || n, 1, 2
          from generate_series(1, ${count}) n cross join generate_series(1, ${otherAgents}) o) hires`,
      [agent],
    );
    await client.query(
      `insert into owner_payments (network, owner, recipient, paid)
        select '${network}', owner, recipient, paid from (
          select 'attacker' || n, $1, ${BigInt(Math.round(paid * 1e9))}::numeric from generate_series(1, ${count}) n
          union all select 'attacker' || n, $2, 1e18 from generate_series(1, ${count}) n
          union all select $2, $1, 1e12) p (owner, recipient, paid)`,
      [payee, agent],
    );
    await refreshRanks(client, await lockCatalog(client, network), Number.MAX_SAFE_INTEGER);
    const { rows } = await client.query<{ place: number }>(
      `select 1 + count(*)::int as place from agents a join agents own on own.agent = $1 where a.rank > own.rank`,
      [agent],
    );
    return rows[0]!.place;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test.each<[string, Hirers]>([
  ['a thousand jobs of one hirer', { count: 1, jobs: 1_000 }],
  ['many new wallets, one job each', { count: 5_000, jobs: 1 }],
  ['aged wallets with many jobs', { count: 5_000, jobs: 100, age: 400 }],
  [
    'aged wallets around a ring of agents of the attacker',
    { count: 5_000, jobs: 15, age: 400, otherAgents: 5 },
  ],
])(
  'gas alone does not lead to the first page: %s',
  async (_, hirers) => {
    expect(await findPlace(hirers)).toBeGreaterThan(firstPage);
  },
  120_000,
);

const paying: Record<string, (scale: number) => Hirers> = {
  'hirers with full weight, each with all its credit': (count) => ({ count, jobs: 15, paid: 100 }),
  'twice as many hirers with half the weight': (count) => ({ count: 2 * count, jobs: 15, paid: 50 }),
  'twice as many with half the weight, whose gas others pay': (count) => ({
    count: 2 * count,
    jobs: 15,
    paid: 50,
    sponsored: true,
  }),
  'a hundred times as many hirers with a hundredth': (count) => ({ count: 100 * count, jobs: 15, paid: 1 }),
  'the same, aged and with jobs of other agents': (count) => ({
    count: 100 * count,
    jobs: 15,
    paid: 1,
    age: 400,
    otherAgents: 1,
  }),
};

const cheapest = new Map<string, number>();
describe(`the first page of the agents costs at least ${goal} SUI that do not come back`, () => {
  test.each(Object.entries(paying))(
    '%s',
    async (name, plan) => {
      const scale = await findSmallestScale(async (scale) => (await findPlace(plan(scale))) <= firstPage, 60);
      expect(scale).toBeDefined();
      const cost = computeCost(plan(scale!));
      expect(cost).toBeGreaterThanOrEqual(goal);
      cheapest.set(name, cost);
    },
    300_000,
  );

  test('docs/ranking.md states what each attack costs', async () => {
    const text = await readFile('docs/ranking.md', 'utf8');
    const rows = [...cheapest].map(
      ([name, cost]) => `| ${name} | ${Math.round(cost).toLocaleString('en')} SUI |`,
    );
    expect(rows).toHaveLength(Object.keys(paying).length);
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
  });
});
