import { listPackages } from '../../lib/contracts/packages.ts';
import { reportTests } from '../report-tests.ts';

await reportTests(await listPackages(import.meta.dirname));
