import { boundProcess } from '@adaptor-marketplace/process/bounded';
import type { BuildRequest } from './build.ts';
import { nodeHost } from './node-host.ts';
import { runBuild } from './run-build.ts';

// The process of `buildSource`.

process.once('disconnect', () => process.exit());
process.once('message', async ({ bounds, ...input }: BuildRequest) => {
  await boundProcess({ processorMs: bounds.processorMs, residentMb: bounds.memoryMb });
  process.send!(await runBuild(nodeHost, input));
});
