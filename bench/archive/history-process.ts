import { startBucket } from '../../test/support/checkpoints/bucket.ts';
import { exportCheckpoints } from '../../test/support/checkpoints/export.ts';
import { startRegistryNetwork } from '../../test/support/checkpoints/registry-network.ts';
import { startTcpProxy } from '../../test/support/tcp-proxy.ts';

/** Urls of a node and of a bucket. */
export interface Distance {
  rpcUrl: string;
  bucketUrl: string;
}

/** Addresses of a history, as `history-process` reports them. */
export interface ServedHistory {
  near: Distance;
  far: Distance;
  packageId: string;
  last: number;
  /** Mean bytes of a file. */
  fileBytes: number;
}

const registrations = 10;

/**
 * A node with checkpoints of one transaction each, and a bucket of the same ones. Runs as a process, which also does the
 * work of the distance: it must not count as that of the reader.
 */
const [checkpoints, delayMs] = process.argv.slice(2).map(Number) as [number, number];
const network = await startRegistryNetwork();
for (let made = 0; made < checkpoints; made++) await network.register(registrations);
const last = await network.tip();
const files = await exportCheckpoints(network.client, last);
const bucket = await startBucket(files);
const bytes = files.values().reduce((sum, file) => sum + file.length, 0);
const near = { rpcUrl: network.localnet.rpcUrl, bucketUrl: bucket.url };
const [rpc, store] = await Promise.all(
  [near.rpcUrl, near.bucketUrl].map((url) => startTcpProxy(url, delayMs)),
);
const served: ServedHistory = {
  near,
  far: { rpcUrl: rpc!.url, bucketUrl: store!.url },
  packageId: network.settings.registryPackageId,
  last,
  fileBytes: Math.round(bytes / files.size),
};
process.send!(served);
process.once('disconnect', async () => {
  await Promise.all([rpc!.cut(), store!.cut()]);
  await bucket.close();
  await network.close();
});
