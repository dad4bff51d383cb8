import type { ClientBase, Pool } from 'pg';
import { nameColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { hasDueCredits, markDueCredits } from './due-credits.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';

/** The numbers of docs/ranking.md. */
export const ranking = {
  /** Paid to the operator's payees, in MIST, for the full weight of 1. */
  fullWeightMist: 100_000_000_000,
  /** Steps of the weight. A payment within a step changes nothing, so it makes no work. */
  weightSteps: 1_000,
  /** Uses of a service for the full credit of an owner. The credit grows with their logarithm. */
  fullUses: 63,
  /** Completed jobs for the full credit of a hirer. */
  fullJobs: 15,
  halfLifeDays: 180,
  /** Credit of all owners together that no payment proves, at most. */
  unprovenMax: 1,
  /** Such owners for half of it. */
  unprovenHalf: 20,
  /** Weight of a new owner among them. */
  newWeight: 0.25,
  /** Age of a wallet at its owner's last use, below which the owner is new. */
  newDays: 30,
  /** Average that a service without reviews is given, and the weight of that assumption. */
  reviewPrior: 3.5,
  reviewPriorWeight: 5,
} as const;

const { fullWeightMist, weightSteps } = ranking;

/** SQL for the steps of weight that an amount of MIST proves. */
export const buildStepsSql = (mist: string): string =>
  `least(${weightSteps}, div(${mist}, ${fullWeightMist / weightSteps}))`;

/** Credits that a transaction computes, at most: some 50 ms under the catalog's lock. */
const computedMax = 500;

/** Services and agents that an owner used first. Those after them are not searched for another package or agent. */
const otherUsesMax = 100;

/**
 * SQL for the factor of a use at `time`. Credits grow with the time of the use, at the rate at which older ones fade, so
 * that the order of ranks holds at any time without another write.
 */
const grown = (time: string) =>
  `power(2, extract(epoch from ${time} - timestamptz '2026-01-01Z')::float8 / ${86_400 * ranking.halfLifeDays})::numeric`;

/** SQL for the credit of a number of uses, in a row of `rank_credits`: 1 at most. */
const buildCreditSql = (uses: string): string => {
  const { fullUses, fullJobs } = ranking;
  return `least(1, ln(1 + ${uses}) / ln(1 + case when is_agent then ${fullJobs} else ${fullUses} end))::numeric`;
};

/** SQL for the rank of a service or an agent, from row `r` of `ranks`. Agents have no reviews, so their factor is 1. */
export const buildRankSql = (r: string): string => {
  const { unprovenMax, unprovenHalf, reviewPrior, reviewPriorWeight } = ranking;
  const unproven = `${unprovenMax} * ${r}.unproven / (${r}.unproven + ${unprovenHalf}) * ${grown(`${r}.last_use_at`)}`;
  const rating = `(${reviewPrior * reviewPriorWeight} + ${r}.review_sum) / (${reviewPriorWeight} + ${r}.review_weight)`;
  return `round((${r}.proven + ${unproven}) * (0.72 + 0.08 * ${rating}), 3)`;
};

const parts = (['proven', 'unproven', 'reviewWeight', 'reviewSum'] as const).map((part) =>
  nameColumns(tables.rankCredits, [part]),
);
const mapParts = (toSql: (part: string) => string) => parts.map(toSql).join(', ');

/** SQL condition: address `publisher` is or was a verified publisher of the service of credit `d`. */
const isPublisher = (publisher: string) => `exists (
  select from listings l
  where l.network = $1 and l.service_type = d.subject and l.publisher = ${publisher} and l.ever_verified offset 0)`;

const publishers = `listings l where l.network = $1 and l.service_type = d.subject and l.ever_verified`;
const links = `owner_links k where k.network = $1 and k.owner = d.owner`;

/**
 * SQL condition: a publisher of the service of credit `d` is linked to its owner. A stranger can add any number of links,
 * but only `everVerifiedMax` publishers.
 */
const isLinked = `exists (
  select from (select l.publisher from ${publishers} offset 0) p cross join lateral (
    select from ${links} and k.address = p.publisher offset 0) found)`;

/**
 * SQL for due credits with the weights of their owners. The planner cannot know how many credits are due, so nothing is
 * joined to all of them: each is looked up.
 */
const weighed = `
  due as materialized (
    select *, greatest(last_use_at, delegated_at) as latest_at from rank_credits
    where network = $1 and due order by subject limit $3),
  weighed as (
    select d.*, r.score, known.is_linked,
      case when known.is_linked then 0 else least(1, coalesce(known.steps, 0) / ${weightSteps}.0) end as weight,
      (d.wallet_at > d.latest_at - interval '${ranking.newDays} days') is not false or not exists (
        select from (
          select x.subject from rank_credits x
          where x.network = $1 and x.owner = d.owner and x.is_agent = d.is_agent and x.first_use_at < d.latest_at
          order by x.first_use_at, x.subject limit ${otherUsesMax}) earlier
        where split_part(earlier.subject, '::', 1) <> split_part(d.subject, '::', 1)) as now_new
    from due d
    left join lateral (
      select r.score from reviews r
      where r.network = $1 and r.service_type = d.subject and r.attester = d.owner and r.verified offset 0) r on true
    cross join lateral (
      select case
        -- Work on a wallet is what an agent is made a delegate for.
        when d.is_agent then d.owner = d.subject or exists (select from ${links} and k.address = d.subject and k.is_transfer)
        else ${isPublisher('d.owner')} or ${isLinked} end as is_linked,
        -- One lookup for each payee: an owner may have paid to any number of other addresses.
        (select sum(${buildStepsSql('o.paid')}) from ranking_payees y
          cross join lateral (
            select paid from owner_payments o
            where o.network = $1 and o.owner = d.owner and o.recipient = y.address offset 0) o
          where y.network = $1 and y.address <> d.owner
            and case when d.is_agent then y.address <> d.subject else not ${isPublisher('y.address')} end) as steps) known
  )`;

/**
 * Computes what due owners add, and from the differences the ranks of their services and agents. Entries that change
 * are announced. Call it under the catalog's lock.
 * @param max credits that become due and are computed, at most. Any others stay due for the next call, in whichever
 * transaction that is.
 */
export async function refreshRanks(
  client: ClientBase,
  catalog: LockedCatalog,
  max = computedMax,
): Promise<void> {
  await markDueCredits(client, catalog, max);
  const { network, revision } = catalog;
  const { newWeight } = ranking;
  await client.query({
    name: 'refresh-ranks',
    text: `with ${weighed},
      fresh as (
        select subject, owner, latest_at, now_new, is_new as former_new, ${mapParts((part) => `${part} as former_${part}`)},
          -- An owner without such uses has a null, which greatest() ignores.
          round(weight * coalesce(greatest(
            ${buildCreditSql('uses')} * ${grown('last_use_at')},
            ${buildCreditSql('1')} * ${grown('delegated_at')}), 0), 6) as proven,
          case when is_linked then 0 else (1 - weight) * case when now_new then ${newWeight} else 1 end end as unproven,
          case when score is null then 0 else weight end as review_weight, coalesce(score, 0) * weight as review_sum
        from weighed
      ),
      stored as (
        update rank_credits c set due = false, is_new = f.now_new, ${mapParts((part) => `${part} = f.${part}`)}
        from fresh f where c.network = $1 and c.subject = f.subject and c.owner = f.owner
      ),
      totals as (
        insert into ranks as t (network, subject, owners, new_owners, last_use_at, ${parts.join(', ')})
        select $1, subject, count(*) filter (where former_new is null),
          sum(now_new::int - coalesce(former_new, false)::int), max(latest_at),
          ${mapParts((part) => `sum(${part} - former_${part})`)}
        from fresh group by subject order by subject
        on conflict (network, subject) do update set owners = t.owners + excluded.owners,
          new_owners = t.new_owners + excluded.new_owners,
          last_use_at = greatest(t.last_use_at, excluded.last_use_at),
          ${mapParts((part) => `${part} = t.${part} + excluded.${part}`)}
        returning *
      ),
      ranked as materialized (
        select subject, owners, new_owners, ${buildRankSql('totals')} as rank from totals
      ),
      agents_ranked as (
        update agents a set rank = n.rank, hirers = n.owners, new_hirers = n.new_owners
        from ranked n where a.network = $1 and a.agent = n.subject
      ),
      entries as (
        update catalog_entries e set rank = n.rank, owners = n.owners, new_owners = n.new_owners, revision = $2
        from ranked n
        where e.network = $1 and e.service_type = n.subject and e.ever_verified
          and (e.rank, e.owners, e.new_owners) is distinct from (n.rank, n.owners, n.new_owners)
        returning e.network
      ),
      advanced as (
        update catalog_state set version = $2, changed_at = now()
        where network = $1 and version < $2 and exists (select from entries) returning network
      )
      select pg_notify('catalog', network)::text from advanced`,
    values: [network, revision, max],
  });
}

/**
 * Computes all ranks that are due: those that the transactions which made owners due left, because they were many, as
 * after a catch-up, a payment of an owner that used many services, or a change of the payees. Each batch has a
 * transaction of its own, so that other changes of the catalog come between them.
 */
export async function refreshDueRanks(pool: Pool, network: string, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await hasDueCredits(pool, network))) {
    await inTransaction(pool, async (client) => refreshRanks(client, await lockCatalog(client, network)));
  }
}

/** Copies ranks and hirers to agents that were hired before they registered. Call it under the catalog's lock. */
export async function rankAgents(
  client: ClientBase,
  { network }: LockedCatalog,
  agents: readonly string[],
): Promise<void> {
  await client.query({
    name: 'rank-agents',
    text: `update agents a set rank = ${buildRankSql('k')}, hirers = k.owners, new_hirers = k.new_owners
      from ranks k
      where a.network = $1 and a.agent = any ($2::text[]) and k.network = $1 and k.subject = a.agent`,
    values: [network, agents],
  });
}
