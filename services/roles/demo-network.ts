import { setTimeout as delay } from 'node:timers/promises';
import { type DemoFile, readDemoFile } from '../demo/file.ts';
import { answers, startDemoNetwork } from '../demo/network.ts';
import { portOf, type Process, type Role } from './process.ts';
import type { WaitingRoom } from './http-servers.ts';

/** Starts the local network here, or waits for the process that has that role. */
export async function demoNetwork(
  wanted: readonly Role[],
  room: WaitingRoom,
  context: Process,
): Promise<DemoFile> {
  const { config, log, closing, stop } = context;
  if (wanted.includes('localnet')) {
    const network = await startDemoNetwork({
      dataDir: config.dataDir,
      host: config.host,
      publicHost: config.localnetHost,
      port: portOf('localnet', 'remembered', context),
      faucetPort: portOf('faucet', 'remembered', context),
      blobsPort: portOf('blobs', 'remembered', context),
      log,
    });
    closing.defer(() => network.close());
    const { rpcUrl, faucetUrl, blobStoreUrl } = network.demo;
    log.info({ rpcUrl, faucetUrl, blobStoreUrl }, 'the local network runs');
    return network.demo;
  }
  for (let waited = 0; ; waited += 1) {
    const demo = await readDemoFile(config.dataDir);
    // A file of an earlier run names ports on which nobody answers any more.
    if (demo && (await answers(demo.blobStoreUrl))) return demo;
    if (waited === 0) {
      const url = await room.open();
      log.info({ dataDir: config.dataDir, url }, 'waiting for the localnet role');
    }
    await delay(250, undefined, { signal: stop });
  }
}
