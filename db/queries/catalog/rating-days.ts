import { columnTypes } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { keyRows, type Queryable, toColumns } from '../queryable.ts';
import { createWrite } from '../writes.ts';
import type { NewAttestation } from './listings.ts';

/** Adds new attestations, each once, to the days of their services. */
export const addRatingDays = createWrite<NewAttestation>(
  'add-rating-days',
  `insert into service_rating_days as d (network, service_type, day, ratings, score_sum)
    select $1, service_type, (to_timestamp(ms / 1000.0) at time zone 'UTC')::date, count(*), sum(score)
    from unnest($2::text[], $3::float8[], $4::smallint[]) as new (service_type, ms, score)
    group by 2, 3 order by 2, 3
    on conflict (network, service_type, day) do update set
      ratings = d.ratings + excluded.ratings,
      score_sum = d.score_sum + excluded.score_sum`,
  (rows) => [
    rows.map(({ serviceType }) => serviceType),
    rows.map(({ at }) => at.timestampMs),
    rows.map(({ score }) => score),
  ],
);

/** Ratings that a service got on one day (UTC). A later rating by the same address counts on its own day too. */
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
