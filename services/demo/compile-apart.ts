import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { toBase64 } from '@mysten/sui/utils';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import type { SamplePackage } from './sample-package.ts';

/** A thread that compiles the sample package for the wallet package whose id it gets. */

const path = join(moveDir, 'adaptors/pocket_money');
const { modules, dependencies } = await compilePackage(path, { published: { wallet: workerData as string } });
const made: SamplePackage = {
  modules: modules.map((module) => toBase64(module)),
  dependencies: [...dependencies],
};
parentPort!.postMessage(made);
