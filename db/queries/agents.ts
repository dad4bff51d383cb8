import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor } from './cursor.ts';
import { type Page, toPage } from './page.ts';
import type { Queryable, Statement } from './queryable.ts';

/** An agent that lists itself, with what it earned through escrow. */
export interface Agent {
  address: string;
  name: string;
  description: string;
  skills: string[];
  cardUrl: string | null;
  version: number;
  updatedMs: number;
  /** Jobs of which it was the provider and whose money was released to it. */
  completedJobs: number;
  /** Sum over those jobs in base units, whatever their coins. */
  releasedValue: string;
  /** The same by coin, for the coins of most jobs. */
  releasedByCoin: Released[];
}

export interface Released {
  /** Null where the package's events do not say, until the job's object was read. */
  coinType: string | null;
  amount: string;
  jobs: number;
}

export interface AgentsQuery {
  network: string;
  limit: number;
  cursor?: string | undefined;
}

interface AgentRow {
  agent: string;
  name: string;
  description: string;
  skills: string[];
  card_url: string | null;
  version: number;
  updated_at: Date;
  completed: number;
  value: string;
  by_coin: Released[];
}

/** Coins per agent: anyone can make a coin and release it. */
const coinsMax = 20;

const order = '-completed, name collate "C", agent collate "C"';

const listAgents: Statement = {
  name: 'list_agents',
  text: `
with by_coin as (
  select provider, coin, count(*)::int as jobs, sum(amount) as amount,
    row_number() over (partition by provider order by count(*) desc, coin) as place
  from jobs
  where network = $1 and state = 3 and provider in (select agent from agents where network = $1 and listed)
  group by provider, coin
),
by_provider as (
  select provider, sum(jobs)::int as completed, sum(amount) as value,
    json_agg(json_build_object('coinType', coin, 'amount', amount::text, 'jobs', jobs) order by place)
      filter (where place <= ${coinsMax}) as by_coin
  from by_coin
  group by provider
),
listed as (
  select a.*, coalesce(p.completed, 0) as completed, coalesce(p.value, 0)::text as value,
    coalesce(p.by_coin, '[]') as by_coin
  from agents a
  left join by_provider p on p.provider = a.agent
  where a.network = $1 and a.listed
)
select * from listed
where $3::int is null or (${order}) > (-$3, $4::text, $5::text)
order by ${order}
limit $2::int + 1`,
};

const afterShape = z.tuple([
  z
    .int()
    .min(0)
    .max(2 ** 31 - 1),
  cursorText,
  cursorText,
]);

/**
 * The listed agents: those with the most completed jobs first, equal ones by name, then by address.
 * @throws BadCursorError
 */
export async function readAgents(
  db: Queryable,
  { network, limit, cursor }: AgentsQuery,
): Promise<Page<Agent>> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, afterShape);
  const { rows } = await db.query<AgentRow>({
    ...listAgents,
    values: [network, limit, after?.[0] ?? null, after?.[1] ?? null, after?.[2] ?? null],
  });
  return toPage(rows, limit, toAgent, (row) => encodeCursor([row.completed, row.name, row.agent]));
}

const toAgent = (row: AgentRow): Agent => ({
  address: row.agent,
  name: row.name,
  description: row.description,
  skills: row.skills,
  cardUrl: row.card_url,
  version: row.version,
  updatedMs: row.updated_at.getTime(),
  completedJobs: row.completed,
  releasedValue: row.value,
  releasedByCoin: row.by_coin,
});
