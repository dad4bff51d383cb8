import type { TestProject } from 'vitest/node';
import { standalone, startRedisServers } from './redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** One real Redis for the whole run; `redisDatabase` gives each test file a part of its own. */
    redisUrl: string;
  }
}

/** One real Redis for the whole run: TEST_REDIS_URL, else one that is started and stopped with it. */
export default async function setup(project: TestProject) {
  const given = process.env.TEST_REDIS_URL;
  const servers = given ? undefined : await startRedisServers(standalone);
  project.provide('redisUrl', given ?? servers!.urls[0]!);
  return () => servers?.stop();
}
