import { setTimeout as delay } from 'node:timers/promises';
import { type DemoFile, readDemoFile } from '../demo/file.ts';
import { startDemoNetwork } from '../demo/network.ts';
import type { Process, Role } from './process.ts';

/** Starts the local network here, or waits for the process that has that role. */
export async function demoNetwork(
  wanted: readonly Role[],
  { config, log, closing, stop }: Process,
): Promise<DemoFile> {
  if (wanted.includes('localnet')) {
    const network = await startDemoNetwork({
      dataDir: config.dataDir,
      host: config.host,
      publicHost: config.localnetHost,
      port: config.localnetPort,
      log,
    });
    closing.defer(() => network.close());
    return network.demo;
  }
  for (let waited = 0; ; waited += 1) {
    const demo = await readDemoFile(config.dataDir);
    // A file of an earlier run names ports on which nobody answers any more.
    if (demo && (await answers(demo.blobStoreUrl))) return demo;
    if (waited === 0) log.info({ dataDir: config.dataDir }, 'waiting for the localnet role');
    await delay(250, undefined, { signal: stop });
  }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  return response !== undefined;
}
