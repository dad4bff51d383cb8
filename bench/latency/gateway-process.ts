import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { settingsFor } from '../../test/support/frames/packages.ts';
import { answerUsage } from '../measure.ts';

/** A gateway as an operator runs it, which also reports the delays of its event loop. Sends its url to the parent. */
const [databaseUrl] = process.argv.slice(2);
const db = openDatabase(databaseUrl!, { max: 10, statementTimeoutMs: 10_000, pipeline: true });
const gateway = await startGateway({
  db,
  host: '127.0.0.1',
  port: 0,
  defaultNetwork: 'testnet',
  networks: [settingsFor('http://127.0.0.1:1')],
  // The chain of the benchmark has a clock of its own.
  maxLagSeconds: 1e9,
  // The readers of a benchmark name addresses of their own, since one address has a share of the streams.
  trustProxy: 1,
  log: createLogger('warn'),
  metrics: new Registry(),
});
process.send?.(gateway.url);
answerUsage();
process.once('disconnect', async () => {
  await gateway.close();
  await db.close();
});
