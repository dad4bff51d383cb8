import { verifySource } from '@adaptor-marketplace/move-toolchain/verify';
import { boundProcess } from '@adaptor-marketplace/process/bounded';
import type { VerificationRequest } from './verify-source.ts';

// The process of `verifyApart`.

process.once('disconnect', () => process.exit());
process.once('message', async ({ modules, source, processorMs }: VerificationRequest) => {
  await boundProcess({ processorMs });
  process.send!(await verifySource(modules, source));
});
