import { join, sep } from 'node:path';
import { listPackages } from '@adaptor-marketplace/move-toolchain/sources';
import { moveDir } from '../lib/contracts/move-dir.ts';
import { reportTests } from './report-tests.ts';

// The packages in these two folders have test files of their own, so that no single file takes all the time.
const elsewhere = ['adaptors', 'protocols'].map((folder) => join(moveDir, folder) + sep);
const dirs = await listPackages(moveDir);
await reportTests(dirs.filter((dir) => !elsewhere.some((folder) => dir.startsWith(folder))));
