/**
 * An indexer of all sources in a process of its own, which tests can kill: `node indexer-process.ts <database url>
 * <node url> [cidr]`.
 */
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
  // Small batches, so that a kill falls before, into and between many commits.
  batchMax: 500,
});
