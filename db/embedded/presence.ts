import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Cluster, isRunning, pgCtl } from './cluster.ts';

/**
 * Key of the advisory lock. Every process that uses the server holds it shared; the process that stops the server holds
 * it exclusively.
 */
const presenceLock = 7_264_002;
const retryMs = 250;
/** Time, in milliseconds, for the server to notice that this process's own connections have closed. */
const closedWithinMs = 1_000;
const lookAgainMs = 50;

const presenceName = 'adaptor-marketplace presence';
const stoppingName = 'adaptor-marketplace stop';

/** A share of the presence lock: while this process holds it, no other process stops the server. */
export interface Presence {
  leave(): Promise<void>;
}

/**
 * Takes a share of the presence lock on a connection of its own, which closes when this process ends, however it ends.
 * If the server comes back after a crash, takes the share again.
 * @throws if the server does not answer, or is stopping
 */
export async function takePresence(url: string): Promise<Presence> {
  const left = new AbortController();
  let client = await takeShare(url);
  const holding = (async () => {
    while (!left.signal.aborted) {
      await broken(client, left.signal);
      while (!left.signal.aborted) {
        const again = await takeShare(url).catch(() => undefined);
        if (again) {
          client = again;
          break;
        }
        await delay(retryMs, undefined, { signal: left.signal, ref: false }).catch(() => undefined);
      }
    }
    await client.end().catch(() => undefined);
  })();
  return {
    async leave() {
      left.abort();
      await holding;
    },
  };
}

async function takeShare(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: presenceName });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Waits for the one that is ending the server, and then fails with it.
    await client.query('select pg_advisory_lock_shared($1)', [presenceLock]);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/** Resolves when the connection has ended, or the signal aborts. */
function broken(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    client.once('end', resolve);
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

type ServerUse = 'none' | 'connections' | 'processes';

/**
 * Runs `end` if no process uses the server. No process can begin to use it meanwhile.
 * @returns the use that prevents it: other processes, or only connections of other programs
 */
async function endIfUnused(url: string, end: () => Promise<unknown>): Promise<ServerUse> {
  for (let waitedMs = 0; ; waitedMs += lookAgainMs) {
    const use = await endIfUnusedNow(url, end);
    if (use === 'none' || waitedMs >= closedWithinMs) return use;
    await delay(lookAgainMs);
  }
}

async function endIfUnusedNow(url: string, end: () => Promise<unknown>): Promise<ServerUse> {
  const client = new pg.Client({ connectionString: url, application_name: stoppingName });
  client.on('error', () => undefined);
  try {
    const refusal = await client.connect().then(
      () => undefined,
      (error: { code?: unknown }) => ({ code: error.code }),
    );
    // The server accepts no further connections, or is starting.
    if (refusal?.code === '53300' || refusal?.code === '57P03') return 'processes';
    if (!refusal) {
      // If the connection is lost, another process is stopping the server.
      const use = await otherUse(client).catch((): ServerUse => 'processes');
      if (use !== 'none') return use;
    }
    // On the open connection, and thus under the lock, which goes with the server.
    await end();
    return 'none';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function otherUse(client: pg.Client): Promise<ServerUse> {
  const { rows } = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
    presenceLock,
  ]);
  if (!rows[0]?.alone) return 'processes';
  // Processes that are leaving too do not count: each of them would leave the server to the other.
  const others = `select from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> $1`;
  return (await client.query(others, [stoppingName])).rowCount === 0 ? 'none' : 'connections';
}

/** Ends the server unless something else uses it. @returns the remaining use */
export function endServerIfUnused(cluster: Cluster, url: string): Promise<ServerUse> {
  return endIfUnused(url, async () => {
    await pgCtl(cluster, ['stop', '-m', 'fast', '-w']).catch(async (error: unknown) => {
      // Another process that left at the same moment may have ended it.
      if (await isRunning(cluster)) throw error;
    });
  });
}
