import { Registry } from 'prom-client';
import { openDatabase } from '../../db/client.ts';
import { createLogger } from '../../lib/log/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { address } from '../../test/support/read-model.ts';
import { tellCpuTime } from './cpu.ts';

// The gateway as a host runs it, in a process of its own; tells its url to whoever started it.
const db = openDatabase(process.argv[2]!, { max: 4 });
const gateway = await startGateway({
  db,
  host: '127.0.0.1',
  port: 0,
  defaultNetwork: 'testnet',
  networks: [{ network: 'testnet', registryPackageId: address(1), registryObjectId: address(2) }],
  maxLagSeconds: 60,
  log: createLogger('info'),
  metrics: new Registry(),
});
process.send?.(gateway.url);
tellCpuTime();
process.once('disconnect', async () => {
  await gateway.close();
  await db.close();
});
