import { listPackages } from '@adaptor-marketplace/move-toolchain/sources';
import { reportTests } from '../report-tests.ts';

await reportTests(await listPackages(import.meta.dirname));
