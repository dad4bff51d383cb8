/**
 * Ends the embedded server after the process that used it: `node after-process.ts <dir> <port>`. Begins when its standard
 * input ends: the process holds the other end open for as long as it lives.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildClusterUrl, openCluster } from './cluster.ts';
import { endServerIfUnused } from './presence.ts';

/** Grace period: a process that is restarted at once finds the server still running. */
const graceMs = 1_000;
const retryMs = 1_000;

const [dir = '', port = ''] = process.argv.slice(2);
for await (const _ of process.stdin);
await delay(graceMs);
// A folder that was removed meanwhile must not be created again.
while (existsSync(resolve(dir, 'data')) || existsSync(resolve(dir, 'location'))) {
  const cluster = await openCluster(resolve(dir));
  // Other processes have a helper like this one. Other programs, such as psql, have none, so this helper waits for
  // them.
  if ((await endServerIfUnused(cluster, buildClusterUrl(cluster, Number(port)))) !== 'connections') break;
  await delay(retryMs);
}
