import type { ClientBase } from 'pg';
import { columnTypes } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { keyRows, type Queryable, toColumns } from '../queryable.ts';
import type { TransactionPosition } from '../sources.ts';

/**
 * Adds the attestations at or after `from`, and before checkpoint `before`, to the days of their services. A second call
 * with the same attestations counts them twice.
 */
export async function addRatingDays(
  client: ClientBase,
  network: string,
  from: TransactionPosition,
  before: number,
): Promise<void> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new attestation.
  await client.query(
    `insert into service_rating_days as d (network, service_type, day, ratings, score_sum)
      select $1, service_type, ("timestamp" at time zone 'UTC')::date, count(*), sum(score)
      from attestations
      where network = $1 and (checkpoint, tx_index) >= ($2::bigint, $3::int) and checkpoint < $4
      group by 2, 3 order by 2, 3
      on conflict (network, service_type, day) do update set
        ratings = d.ratings + excluded.ratings,
        score_sum = d.score_sum + excluded.score_sum`,
    [network, from.checkpoint, from.txIndex, before],
  );
}

/** Ratings of a service on one day (UTC). If an address rates again on a later day, both ratings count, each on its day. */
export interface RatingDay {
  /** `2026-01-31` */
  day: string;
  count: number;
  /** Average of the day, with two decimals. */
  avg: number;
}

interface RatingDaysKey {
  network: string;
  serviceType: string;
  /** Number of days, the last of which is today. */
  days: number;
}

const dayKeys = keyRows({ ...columnTypes(tables.serviceRatingDays, 'network', 'serviceType'), days: 'int' });

/** Reads the days with ratings of many services in one round trip, the oldest first. */
export async function readRatingDays(db: Queryable, keys: readonly RatingDaysKey[]): Promise<RatingDay[][]> {
  const { rows } = await db.query<RatingDay & { nth: number }>({
    name: 'rating-days',
    text: `
select key.nth::int, d.day::text, d.ratings as count, round(d.score_sum::numeric / d.ratings, 2)::float8 as avg
from ${dayKeys}
join service_rating_days d on d.network = key.network and d.service_type = key.service_type
  and d.day > (now() at time zone 'UTC')::date - key.days
order by key.nth, d.day`,
    values: toColumns(keys, 'network', 'serviceType', 'days'),
  });
  const byKey = Map.groupBy(rows, ({ nth }) => nth);
  return keys.map((_, at) => (byKey.get(at + 1) ?? []).map(({ nth: _nth, ...day }) => day));
}
