/**
 * An indexer in a process of its own, which tests can kill: `node indexer-process.ts <database url> <settings> [cidr]`. The
 * settings of its network are JSON.
 */
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';

const [databaseUrl = '', settings = '', ...allowCidrs] = process.argv.slice(2);
startIndexer({
  db: openDatabase(databaseUrl, { max: 10 }),
  networks: [JSON.parse(settings)],
  log: createLogger('warn'),
  outbound: createOutbound({ allowCidrs }),
  // Small batches, so that a kill falls before, into and between many commits.
  batchMax: 500,
});
