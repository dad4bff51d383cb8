import { silentLogger } from '../../../lib/log/index.ts';
import { startDemoNetwork } from '../../../services/demo/network.ts';

/** A program: the local network of a world with the demo, and a second node of its chain, which is the archive. */

const readPort = (name: string): number => Number(process.env[name]);

const { localnet } = await startDemoNetwork({
  dataDir: process.env.DATA_DIR!,
  host: '127.0.0.1',
  publicHost: '127.0.0.1',
  port: readPort('LOCALNET_PORT'),
  faucetPort: readPort('LOCALNET_FAUCET_PORT'),
  blobsPort: readPort('LOCALNET_BLOBS_PORT'),
  log: silentLogger,
  during: async (phase, work) => {
    console.log(phase);
    return await work();
  },
});
await localnet.openNode(readPort('LOCALNET_ARCHIVE_PORT'));
console.log('the local network runs');
