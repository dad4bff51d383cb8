import { Redis } from 'ioredis';
import { inject } from 'vitest';

/** The url of an empty database on the run's server that no other test file uses meanwhile. */
export async function redisDatabase(): Promise<string> {
  const url = new URL(inject('redisUrl'));
  // A server has sixteen of them by default; files run in as many workers as the machine has processors.
  url.pathname = `/${Number(process.env.VITEST_POOL_ID ?? 0) % 16}`;
  const client = new Redis(url.href);
  await client.flushdb();
  client.disconnect();
  return url.href;
}
