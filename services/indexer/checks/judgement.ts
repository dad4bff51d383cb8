import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { endWait, type RegistrationTable } from '../../../db/queries/checks.ts';
import { coalesce } from '../../../lib/concurrency/single-flight.ts';
import type { SourceName } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { CheckDependencies } from '../queue/work-queue.ts';

/** The table with the checks of a source. No shown data waits for checks of the other sources. */
const tables: Partial<Record<SourceName, RegistrationTable>> = { registry: 'listings', rules: 'rules' };

/** Interval of the queries: another process may do the checks. */
const watchEveryMs = 1_000;

/**
 * Records in the rows of the sources that everything in their history was checked once.
 * @param onJudged called after that, and again if the source restarts
 */
export function watchJudgement(
  { pool }: CheckDependencies['db'],
  network: string,
  log: Logger,
  onJudged: (source: SourceName) => void,
) {
  const watched = new Set<SourceName>();
  let lastLook: Promise<void> | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const lookOnce = coalesce(async () => {
    try {
      for (const source of watched) {
        if (isClosed || !(await endWait(pool, network, source, tables[source]))) continue;
        watched.delete(source);
        onJudged(source);
      }
    } catch (error) {
      log.debug({ network }, `could not see what is judged: ${getErrorMessage(error)}`);
    }
  });

  function look(): void {
    if (!isClosed && watched.size > 0) lastLook = lookOnce();
  }

  return {
    /** Call when a history has been read: watches until all of it is checked. */
    start(source: SourceName): void {
      watched.add(source);
      timer ??= setInterval(look, watchEveryMs).unref();
      look();
    },
    /** Call after each check. */
    look,
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await lastLook;
    },
  };
}
