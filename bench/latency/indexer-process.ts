import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { settingsFor } from '../../test/support/frames/packages.ts';
import { payee } from '../../test/support/owners.ts';

/** An indexer as an operator runs it. Answers each message of the parent process with its metrics. */
const [databaseUrl, nodeUrl, aggregatorUrl] = process.argv.slice(2);
const db = openDatabase(databaseUrl!, { max: 10 });
const outbound = createOutbound({ allowCidrs: [] });
const metrics = new Registry();
const indexer = startIndexer({
  db,
  // The payee of the rows that fill the catalog: with another, all ranks would be computed again.
  networks: [{ ...settingsFor(nodeUrl!, { aggregatorUrl: aggregatorUrl! }), rankingPayees: [payee] }],
  log: createLogger('warn'),
  outbound,
  metrics,
});
process.on('message', async () => process.send!(await metrics.metrics()));
process.send!('started');
process.once('disconnect', async () => {
  await indexer.close();
  await outbound.close();
  await db.close();
});
