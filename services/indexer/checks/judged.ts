import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Pool } from 'pg';
import type { SourceName } from '../../../lib/config/sources.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Listed } from '../manifests/listings.ts';

/** Where a source's checks are. The others have none that anything shown waits for. */
const tables: Partial<Record<SourceName, Listed>> = { registry: 'listings', rules: 'rules' };

/**
 * What waits for its first judgement: checks of the chain, and manifests of those that have passed them. A stranger's
 * listing is not in the catalog, and its host must not decide when the network is ready.
 */
const waits = (table: Listed) => `exists (
    select from ${table} l where l.network = $1 and l.next_check_at is not null and l.check_attempts = 0)
  or exists (
    select from manifest_fetches f join ${table} l
      on l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri
    where f.network = $1 and f.next_attempt_at is not null and f.status = 'pending' and f.attempts = 0
      and l.listed and l.publisher_check = 'verified' and l.witness_check = 'valid')`;

/** Ends the wait of a source's history where all that it brought was judged. @returns whether it was */
async function endWait(pool: Pool, network: Network, source: SourceName): Promise<boolean> {
  const table = tables[source];
  const judged = table ? `not (${waits(table)})` : 'true';
  const { rows } = await pool.query<{ judged: boolean }>({
    name: `judged-${source}`,
    text: `with state as materialized (select ${judged} as judged),
      ended as (
        update sources s set unjudged_since = null from state
        where s.network = $1 and s.name = $2 and s.unjudged_since is not null and state.judged)
      select judged from state`,
    values: [network, source],
  });
  return rows[0]?.judged ?? false;
}

export interface JudgementWatch {
  /** A history was read to its end: from here on its judgement is watched for. */
  start(source: SourceName): void;
  /** A check was made. */
  look(): void;
  /** Resolves when the look under way has ended. */
  close(): Promise<void>;
}

/** Another process may make the checks. */
const lookAgainMs = 1_000;

/** Keeps in the rows of the sources whether what their history brought was judged once. */
export function watchJudgement(pool: Pool, network: Network, log: Logger): JudgementWatch {
  const watched = new Set<SourceName>();
  let looking: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function lookNow(): Promise<void> {
    do {
      again = false;
      for (const source of watched) if (await endWait(pool, network, source)) watched.delete(source);
    } while (again && watched.size > 0 && !closed);
  }

  function look(): void {
    again = true;
    if (looking || closed || watched.size === 0) return;
    looking = lookNow()
      .catch((error) => log.debug({ network }, `could not see what is judged: ${messageOf(error)}`))
      .finally(() => {
        looking = undefined;
      });
  }

  return {
    start(source) {
      watched.add(source);
      timer ??= setInterval(look, lookAgainMs).unref();
      look();
    },
    look,
    async close() {
      closed = true;
      clearInterval(timer);
      await looking;
    },
  };
}
