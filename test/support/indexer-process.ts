/** An indexer of every source as a process of its own, to be killed: `node indexer-process.ts <database url> <node url> [cidr]`. */
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { marketPackages, settingsFor } from './frames/packages.ts';

const [databaseUrl = '', nodeUrl = '', ...allowCidrs] = process.argv.slice(2);
startIndexer({
  db: openDatabase(databaseUrl, { max: 10 }),
  networks: [settingsFor(nodeUrl, marketPackages)],
  log: createLogger('warn'),
  outbound: createOutbound({ allowCidrs }),
  // Small, so that a kill falls between, before and into many commits.
  batchMax: 500,
});
