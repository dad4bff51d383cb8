import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const stopping = 'adaptor-marketplace stop';

/** How long the server may take to notice that this process's own connections have closed. */
const closedWithinMs = 1_000;
const lookAgainMs = 50;

/** Whether other processes use the server, after giving closed connections the time to be seen as such. */
export async function othersRemain(url: string): Promise<boolean> {
  for (let waitedMs = 0; await othersConnected(url); waitedMs += lookAgainMs) {
    if (waitedMs >= closedWithinMs) return true;
    await delay(lookAgainMs);
  }
  return false;
}

async function othersConnected(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: stopping });
  client.on('error', () => undefined);
  try {
    await client.connect();
    // Those that are leaving too do not count, or each of them would leave the server to the other.
    const others = `select from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> $1`;
    return (await client.query(others, [stopping])).rowCount !== 0;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
