import { listPackages } from '../../lib/move/packages.ts';
import { reportTests } from '../report-tests.ts';

await reportTests(await listPackages(import.meta.dirname));
