import type { Pool } from 'pg';
import { inTransaction } from '../../transaction.ts';
import { keyArray, type Queryable, toColumns } from '../queryable.ts';
import { ranking } from './ranks.ts';
import { advanceCatalog, lockCatalog } from './revision.ts';

/** Weeks before the last one, whose average the last one is compared with. */
const weeksBefore = 4;

const { unprovenMax, unprovenHalf, newWeight } = ranking;

interface Trend {
  serviceType: string;
  /** Decimal with three places, above 0. */
  trend: string;
}

/**
 * Reads the trends above 0 of the services in the catalog. An owner weighs as much as it adds to the rank: nothing, if it is
 * linked to a publisher of the service.
 */
async function readTrends(db: Queryable, network: string): Promise<Trend[]> {
  const { rows } = await db.query<Trend>({
    name: 'read-trends',
    text: `with used as (
        select a.service_type, a.owner, greatest(0, floor(extract(epoch from now() - a."timestamp") / 604800))::int as week
        from service_actions a
        where a.network = $1 and a."timestamp" > now() - interval '${weeksBefore + 1} weeks'
          and a.owner is not null and a.signed_by is not null
        group by 1, 2, 3
      ),
      weeks as (
        select u.service_type, u.week,
          sum(case when c.proven > 0 then 1 - c.unproven / case when c.is_new then ${newWeight} else 1 end else 0 end) as proven,
          sum(c.unproven) as unproven
        from used u join rank_credits c on c.network = $1 and c.subject = u.service_type and c.owner = u.owner
        group by 1, 2
      ),
      strengths as (
        select service_type, week, proven + ${unprovenMax} * unproven / (unproven + ${unprovenHalf}) as strength from weeks
      ),
      compared as (
        select service_type, coalesce(sum(strength) filter (where week = 0), 0) as latest,
          coalesce(sum(strength) filter (where week > 0), 0) / ${weeksBefore} as before
        from strengths group by service_type
      )
      select c.service_type as "serviceType", t.trend::text
      from compared c cross join lateral (select round((c.latest - c.before) / sqrt(1 + c.before), 3) as trend) t
      where t.trend > 0
        and exists (select from catalog_entries e where e.network = $1 and e.service_type = c.service_type and e.ever_verified)`,
    values: [network],
  });
  return rows;
}

/**
 * Computes the trends of all services, and stores those that changed in their entries. They are read before the catalog
 * is locked: other changes do not wait for that.
 */
export async function refreshTrends(pool: Pool, network: string): Promise<void> {
  const trends = await readTrends(pool, network);
  await inTransaction(pool, async (client) => {
    const catalog = await lockCatalog(client, network);
    const { rowCount } = await client.query({
      name: 'store-trends',
      text: `with fresh as (
          select * from unnest(${keyArray(2, 'text')}, ${keyArray(3, 'text')}) as fresh (service_type, trend))
        update catalog_entries e set trend = n.trend, revision = $4
        from (
          select o.service_type, o.publisher, coalesce(f.trend::numeric, 0) as trend
          from catalog_entries o left join fresh f on f.service_type = o.service_type
          where o.network = $1 and o.ever_verified and (o.trend > 0 or f.service_type is not null)
        ) n
        where e.network = $1 and e.service_type = n.service_type and e.publisher = n.publisher and e.trend <> n.trend`,
      values: [network, ...toColumns(trends, 'serviceType', 'trend'), catalog.revision],
    });
    if (rowCount) await advanceCatalog(client, catalog);
  });
}
