import { join, sep } from 'node:path';
import { listPackages } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../lib/contracts/move-dir.ts';
import { reportTests } from './report-tests.ts';

// Those of the two folders have files of their own beside them, so that no file takes all the time.
const elsewhere = ['adaptors', 'protocols'].map((folder) => join(moveDir, folder) + sep);
const dirs = await listPackages(moveDir);
await reportTests(dirs.filter((dir) => !elsewhere.some((folder) => dir.startsWith(folder))));
