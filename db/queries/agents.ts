import type { ClientBase } from 'pg';
import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor, type Page, toPage } from './page.ts';
import { type Queryable, type Statement, toColumns } from './queryable.ts';

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

interface AgentsQuery {
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
  name: 'list-agents',
  text: `
with by_coin as (
  select provider, coin, count(*)::int as jobs, sum(amount) as amount,
    row_number() over (partition by provider order by count(*) desc, coin) as position
  from jobs
  where network = $1 and state = 3 and provider in (select agent from agents where network = $1 and listed)
  group by provider, coin
),
by_provider as (
  select provider, sum(jobs)::int as completed, sum(amount) as value,
    json_agg(json_build_object('coinType', coin, 'amount', amount::text, 'jobs', jobs) order by position)
      filter (where position <= ${coinsMax}) as by_coin
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
 * @throws ProblemError `bad_cursor`
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

/** An agent's profile as its last event of a batch left it. */
export interface AgentProfile {
  agent: string;
  name: string;
  description: string;
  skills: readonly string[];
  cardUrl: string | null;
  version: number;
  listed: boolean;
  registeredAt: Date;
  updatedAt: Date;
}

export async function upsertAgents(
  client: ClientBase,
  network: string,
  agents: readonly AgentProfile[],
): Promise<void> {
  if (agents.length === 0) return;
  // PostgreSQL takes arrays of arrays only as one rectangle, so the skills are sent as JSON.
  const rows = agents.map((agent) => ({ ...agent, skills: JSON.stringify(agent.skills) }));
  await client.query({
    name: 'upsert-agents',
    text: `insert into agents (network, agent, name, description, skills, card_url, version, listed,
        registered_at, updated_at)
      select $1, c.agent, c.name, c.description,
        array(select jsonb_array_elements_text(c.skills)), c.card_url, c.version, c.listed, c.registered_at,
        c.updated_at
      from unnest($2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::int[], $8::boolean[],
        $9::timestamptz[], $10::timestamptz[]) as c (agent, name, description, skills, card_url, version,
        listed, registered_at, updated_at)
      on conflict (network, agent) do update set name = excluded.name, description = excluded.description,
        skills = excluded.skills, card_url = excluded.card_url, version = excluded.version,
        listed = excluded.listed, updated_at = excluded.updated_at`,
    values: [
      network,
      ...toColumns(rows, 'agent', 'name', 'description', 'skills', 'cardUrl'),
      ...toColumns(rows, 'version', 'listed', 'registeredAt', 'updatedAt'),
    ],
  });
}

export async function unlistAgents(
  client: ClientBase,
  network: string,
  agents: readonly Pick<AgentProfile, 'agent' | 'version' | 'updatedAt'>[],
): Promise<void> {
  if (agents.length === 0) return;
  await client.query({
    name: 'unlist-agents',
    text: `update agents a set listed = false, version = c.version, updated_at = c.updated_at
      from unnest($2::text[], $3::int[], $4::timestamptz[]) as c (agent, version, updated_at)
      where a.network = $1 and a.agent = c.agent`,
    values: [network, ...toColumns(agents, 'agent', 'version', 'updatedAt')],
  });
}
