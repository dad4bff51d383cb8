import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Pool } from 'pg';
import type { Waiting } from '../queue/worker.ts';

/** A manifest to be fetched. */
export interface Fetch {
  hash: string;
  uri: string;
  /** Made before. */
  attempts: number;
}

interface Row extends Fetch {
  publisher: string;
  verified: boolean;
}

/** `first` attempts, which the fast slots are for, and those `again`, by hosts that have failed. */
export type Attempt = 'first' | 'again';

/**
 * Fetches that are due, in a fair order: those that a verified publisher's listing or rule names go first; of these,
 * and of the others, no publisher's and no host's second before every other's first, and so on. Both are free to make,
 * so either alone would let a stranger take all turns.
 */
export async function dueManifests(
  pool: Pool,
  network: Network,
  attempt: Attempt,
  limit: number,
): Promise<Waiting<Fetch>[]> {
  const { rows } = await pool.query<Row>({
    name: `due-manifests-${attempt}`,
    text: `with due as (
        select f.hash, f.uri, f.attempts, coalesce(named.publisher, '') as publisher,
          coalesce(named.verified, false) as verified, lower(split_part(f.uri, '/', 3)) as host
        from manifest_fetches f
        left join lateral (
          select publisher, listed and publisher_check = 'verified' and witness_check <> 'invalid' as verified
          from listings l
          where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri
          union all
          select publisher, listed and publisher_check = 'verified' and witness_check <> 'invalid'
          from rules r
          where r.network = f.network and r.manifest_hash = f.hash and r.manifest_uri = f.uri
          order by verified desc, publisher limit 1) named on true
        where f.network = $1 and f.next_attempt_at <= now()
          and ${attempt === 'first' ? 'f.attempts = 0' : 'f.attempts > 0'}
      ), by_publisher as (
        select *, row_number() over (partition by verified, publisher order by random()) as of_publisher from due
      ), by_host as (
        select *, row_number() over (partition by verified, host order by of_publisher, random()) as of_host
        from by_publisher
      )
      select hash, uri, attempts, publisher, verified from by_host
      order by verified desc, greatest(of_publisher, of_host), random() limit $2`,
    values: [network, limit],
  });
  return rows.map(({ publisher, verified, ...job }) => ({
    key: `manifest ${network} ${job.hash} ${job.uri}`,
    precedence: verified ? 0 : 1,
    groups: [`publisher ${publisher}`, `host ${job.uri.split('/')[2]?.toLowerCase() ?? ''}`],
    job,
  }));
}
