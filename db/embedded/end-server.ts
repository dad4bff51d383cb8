import { type Cluster, isRunning, pgCtl } from './cluster.ts';
import { endIfUnused, type Use } from './presence.ts';

/** Ends the server unless something else uses it. @returns what does */
export function endServerIfUnused(cluster: Cluster, url: string): Promise<Use> {
  return endIfUnused(url, async () => {
    await pgCtl(cluster, ['stop', '-m', 'fast', '-w']).catch(async (error: unknown) => {
      // Another process that left at the same moment may have ended it.
      if (await isRunning(cluster)) throw error;
    });
  });
}
