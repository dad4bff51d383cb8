import { type Item, nameColumns, type Row, readColumns, unnestColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { JobResult } from './jobs.ts';
import { type KeyedList, keyColumns, type Paging } from './lists.ts';
import { createLookup } from './lookups.ts';
import { toColumns } from './queryable.ts';
import { createWrite } from './writes.ts';

const agentColumns = readColumns(
  tables.agents,
  ['name', 'description', 'skills', 'cardUrl', 'version', 'completedJobs', 'hirers', 'newHirers'],
  { address: 'agent', releasedValue: 'earned', updatedMs: 'updatedAt', registeredMs: 'registeredAt' },
);

/** An agent that lists itself, with its earnings through escrow. */
interface Agent extends Item<typeof agentColumns>, Earnings {}

interface Earnings {
  /** Jobs that it provided and was paid for by coin, for the coins of most jobs. Amounts are in base units. */
  releasedByCoin: CoinEarnings[];
}

export interface CoinEarnings {
  /** Null if the package's events do not contain it, until the job's object is read. */
  coinType: string | null;
  amount: string;
  jobs: number;
}

interface AgentsKey extends Paging {
  network: string;
}

type AgentRow = Row<typeof agentColumns> & Earnings;

/** Coins per agent: anyone can make a coin and release it. */
const coinsMax = 20;

/** SQL for an agent's earnings by coin. @param agent its address */
const earnedBy = (network: string, agent: string) => `cross join lateral (
  select coalesce(json_agg(json_build_object('coinType', coin, 'amount', amount::text, 'jobs', jobs)), '[]')
    as "releasedByCoin"
  from (
    select coin, amount, jobs from provider_earnings e
    where e.network = ${network} and e.provider = ${agent} and e.jobs > 0
    order by (-e.jobs), e.coin limit ${coinsMax}
  ) by_coin
) earned`;

const toAgent = (row: AgentRow): Agent => ({
  ...agentColumns.toItem(row),
  releasedByCoin: row.releasedByCoin,
});

/** The listed agents: those with the highest rank first, equal ones by name, then by address. */
export const agentList: KeyedList<AgentsKey, AgentRow, Agent> = {
  name: 'agents',
  key: keyColumns(tables.agents, 'network'),
  from: 'agents a',
  where: 'a.network = key.network and a.listed',
  select: agentColumns.select('a'),
  rest: earnedBy('key.network', 'at.address'),
  columns: 'at.*, earned.*',
  order: [
    ['(-a.rank)', 'numeric'],
    ['a.name', 'text'],
    ['a.agent', 'text'],
  ],
  toItem: toAgent,
};

export const readAgentsAt = createLookup<{ network: string; address: string }, AgentRow, Agent>({
  name: 'find-agents',
  key: { network: ['text', ({ network }) => network], address: ['text', ({ address }) => address] },
  select: `${agentColumns.select('a')}, earned.*`,
  join: `join agents a on a.network = key.network and a.agent = key.address and a.listed
    ${earnedBy('a.network', 'a.agent')}`,
  toItem: toAgent,
});

/**
 * Adds released jobs to the earnings of their providers and to the completed jobs of agents, under the catalog's lock:
 * profiles and jobs are written by separate transactions. The cost depends on the change, not on the number of an agent's
 * jobs. The jobs of an address that is not an agent are counted when it registers.
 */
export const addEarnings = createWrite<JobResult>(
  'add-earnings',
  `with changed as (
      select c.provider, e.coin, sum(e.jobs) as jobs, sum(e.amount) as amount
      from unnest($2::text[], $3::jsonb[]) c (provider, earned)
      cross join jsonb_to_recordset(c.earned) e (coin text, jobs int, amount numeric)
      group by c.provider, e.coin),
    stored as (
      insert into provider_earnings as e (network, provider, coin, jobs, amount)
      select $1, provider, coin, jobs, amount from changed order by provider, coin
      on conflict (network, provider, coin) do update set jobs = e.jobs + excluded.jobs,
        amount = e.amount + excluded.amount)
    update agents a set completed_jobs = a.completed_jobs + c.jobs, earned = a.earned + c.amount
    from (select provider, sum(jobs) as jobs, sum(amount) as amount from changed group by provider) c
    where a.network = $1 and a.agent = c.provider`,
  (results) => [results.map(({ provider }) => provider), results.map(({ earned }) => JSON.stringify(earned))],
);

const profile = [
  'agent',
  'name',
  'description',
  'skills',
  'cardUrl',
  'version',
  'listed',
  'registeredAt',
  'updatedAt',
] as const;

/** An agent's profile as its last event of a batch left it. */
export type AgentProfile = Pick<typeof tables.agents.$inferSelect, (typeof profile)[number]>;

/**
 * Stores profiles, under the catalog's lock. What an agent earned is added up once, over its coins, when it is first
 * stored.
 */
export const upsertAgents = createWrite<AgentProfile>(
  'upsert-agents',
  `insert into agents (network, ${nameColumns(tables.agents, profile)}, completed_jobs, earned)
    select $1, c.agent, c.name, c.description,
      array(select jsonb_array_elements_text(c.skills)), c.card_url, c.version, c.listed, c.registered_at,
      c.updated_at, coalesce(former.completed_jobs, released.jobs), coalesce(former.earned, released.amount)
    from unnest($2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::int[], $8::boolean[],
      $9::timestamptz[], $10::timestamptz[]) as c (agent, name, description, skills, card_url, version,
      listed, registered_at, updated_at)
    left join agents former on former.network = $1 and former.agent = c.agent
    cross join lateral (
      select coalesce(sum(e.jobs), 0) as jobs, coalesce(sum(e.amount), 0) as amount from provider_earnings e
      where e.network = $1 and e.provider = c.agent and former.agent is null) released
    on conflict (network, agent) do update set name = excluded.name, description = excluded.description,
      skills = excluded.skills, card_url = excluded.card_url, version = excluded.version,
      listed = excluded.listed, updated_at = excluded.updated_at`,
  // PostgreSQL takes arrays of arrays only as one rectangle, so the skills are sent as JSON.
  (agents) =>
    toColumns(
      agents.map((agent) => ({ ...agent, skills: JSON.stringify(agent.skills) })),
      ...profile,
    ),
);

const unlisted = ['agent', 'version', 'updatedAt'] as const;

export const unlistAgents = createWrite<Pick<AgentProfile, (typeof unlisted)[number]>>(
  'unlist-agents',
  `update agents a set listed = false, version = c.version, updated_at = c.updated_at
    from ${unnestColumns(tables.agents, 2, unlisted)}
    where a.network = $1 and a.agent = c.agent`,
  unlisted,
);
