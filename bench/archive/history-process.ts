import { startBucket } from '../../test/support/checkpoints/bucket.ts';
import { exportCheckpoints } from '../../test/support/checkpoints/export.ts';
import { startRegistryNetwork } from '../../test/support/checkpoints/registry-network.ts';

/** Address of a history, as `history-process` reports it. */
export interface ServedHistory {
  rpcUrl: string;
  bucketUrl: string;
  packageId: string;
  last: number;
  /** Mean bytes of a file. */
  fileBytes: number;
}

const registrations = 10;

/** A node with checkpoints of one transaction each, and a bucket of the same ones. Runs as a process. */
const checkpoints = Number(process.argv[2]);
const network = await startRegistryNetwork();
for (let made = 0; made < checkpoints; made++) await network.register(registrations);
const last = await network.tip();
const files = await exportCheckpoints(network.client, last);
const bucket = await startBucket(files);
const bytes = files.values().reduce((sum, file) => sum + file.length, 0);
const served: ServedHistory = {
  rpcUrl: network.localnet.rpcUrl,
  bucketUrl: bucket.url,
  packageId: network.settings.registryPackageId,
  last,
  fileBytes: Math.round(bytes / files.size),
};
process.send!(served);
process.once('disconnect', async () => {
  await bucket.close();
  await network.close();
});
