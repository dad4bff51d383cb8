import type { CanaryRun, CanaryState } from '../../../lib/canaries/judge.ts';
import { keyRows, type Queryable, toColumns, toMsSql } from '../queryable.ts';

/** Simulated calls of an op on one day. */
export interface CanaryDay {
  /** UTC date, such as `2026-01-31`. */
  day: string;
  worked: number;
  failed: number;
}

/** An op of an entry, as its simulations show it. */
export interface CanaryOp {
  op: string;
  /** Position in `manifest.ops`. */
  position: number;
  state: CanaryState;
  sinceMs: number;
  /** Null if it was never simulated. */
  triedAtMs: number | null;
  /** The reason why it was not simulated the last time. Null if it was. */
  untried: string | null;
  /** The last three runs, the newest last. */
  runs: CanaryRun[];
  /** The days with simulations, the oldest first. */
  days: CanaryDay[];
}

/** Simulations of an entry. */
export interface Canary {
  /** Time of the last ones. Null before the first. */
  ranAtMs: number | null;
  ops: CanaryOp[];
}

interface CanaryKey {
  network: string;
  serviceType: string;
  publisher: string;
  /** Days until today. */
  days: number;
}

const canaryKeys = keyRows({ network: 'text', service_type: 'text', publisher: 'text', days: 'int' });

/** Reads the simulations of entries, in the order of the keys; null for one that is not simulated. */
export async function readCanaries(db: Queryable, keys: readonly CanaryKey[]): Promise<(Canary | null)[]> {
  const { rows } = await db.query<{ isSimulated: boolean } & Canary>({
    name: 'read-canaries',
    text: `select c.network is not null as "isSimulated", ${toMsSql('c.ran_at')}::float8 as "ranAtMs",
        coalesce((select jsonb_agg(jsonb_build_object('op', o.op, 'position', o.position, 'state', o.state,
            'sinceMs', ${toMsSql('o.since')}, 'triedAtMs', ${toMsSql('o.tried_at')}, 'untried', o.untried, 'runs', o.runs,
            'days', coalesce((select jsonb_agg(jsonb_build_object('day', d.day, 'worked', d.worked, 'failed', d.failed) order by d.day)
              from canary_days d
              where d.network = o.network and d.service_type = o.service_type and d.publisher = o.publisher and d.op = o.op
                and d.day > (now() at time zone 'UTC')::date - key.days), '[]')) order by o.position)
          from canary_ops o
          where o.network = c.network and o.service_type = c.service_type and o.publisher = c.publisher), '[]') as ops
      from ${canaryKeys}
      left join canaries c on c.network = key.network and c.service_type = key.service_type and c.publisher = key.publisher
      order by key.nth`,
    values: toColumns(keys, 'network', 'serviceType', 'publisher', 'days'),
  });
  return rows.map(({ isSimulated, ...canary }) => (isSimulated ? canary : null));
}
