import { fromMsSql, type Queryable, toColumns, toMsSql } from './queryable.ts';

/** A quarter of an hour of one source. */
export interface SourceQuarter {
  network: string;
  source: string;
  fromMs: number;
  samples: number;
  /** Samples in which the source was further behind than the limit. */
  late: number;
  /** Samples with an error since the sample before. */
  failed: number;
  lagSecondsMax: number;
  /** Events stored since the quarter before, or since the first sample if there is none. */
  events: number;
}

/** State of a source at one time. */
export interface SourceSample {
  network: string;
  source: string;
  isLate: boolean;
  /** `true` if its last error is newer than the sample before. */
  hasFailed: boolean;
  lagSeconds: number;
  events: number;
}

/** Adds samples to their quarter, and removes the quarters that began before `keepFromMs`. */
export async function recordSamples(
  db: Queryable,
  { fromMs, keepFromMs }: { fromMs: number; keepFromMs: number },
  samples: readonly SourceSample[],
): Promise<void> {
  await db.query({
    name: 'record-source-samples',
    text: `with old as (delete from source_quarters where from_at < ${fromMsSql('$2')})
      insert into source_quarters as q (network, source, from_at, samples, late, failed, lag_seconds_max, events_first, events_last)
      select network, source, ${fromMsSql('$1')}, 1, late::int, failed::int, lag, events, events
      from unnest($3::text[], $4::text[], $5::bool[], $6::bool[], $7::int[], $8::bigint[])
        s (network, source, late, failed, lag, events)
      order by network, source
      on conflict (network, source, from_at) do update set
        samples = q.samples + 1,
        late = q.late + excluded.late,
        failed = q.failed + excluded.failed,
        lag_seconds_max = greatest(q.lag_seconds_max, excluded.lag_seconds_max),
        events_last = excluded.events_last`,
    values: [
      fromMs,
      keepFromMs,
      ...toColumns(samples, 'network', 'source', 'isLate', 'hasFailed', 'lagSeconds', 'events'),
    ],
  });
}

/** Reads all quarters, the oldest of each source first. */
export async function readQuarters(db: Queryable): Promise<SourceQuarter[]> {
  const { rows } = await db.query<SourceQuarter>({
    name: 'read-source-quarters',
    text: `select network, source, ${toMsSql('from_at')} as "fromMs", samples, late, failed,
        lag_seconds_max as "lagSecondsMax",
        greatest(0, events_last - lag(events_last, 1, events_first)
          over (partition by network, source order by from_at)) as events
      from source_quarters order by network, source, from_at`,
  });
  return rows;
}
