import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { createKv } from '../../lib/kv/index.ts';
import { parseRedisUrl } from '../../lib/kv/settings.ts';
import { createLogger } from '../../lib/log/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { address } from '../../test/support/read-model.ts';
import { tellCpuTime } from './cpu.ts';

// The gateway as a host runs it, in a process of its own, with a store or without; tells its url to whoever started
// it. Its limit is one that no load reaches.
const [databaseUrl, redisUrl] = process.argv.slice(2);
const db = openDatabase(databaseUrl!, { max: 4 });
const log = createLogger('info');
const metrics = new Registry();
const kv = redisUrl
  ? await createKv({ kind: 'redis', address: parseRedisUrl(redisUrl)! }, { log, metrics })
  : undefined;
const gateway = await startGateway({
  db,
  host: '127.0.0.1',
  port: 0,
  defaultNetwork: 'testnet',
  networks: [
    {
      network: 'testnet',
      rpcUrl: 'http://127.0.0.1:1',
      registryPackageId: address(1),
      registryObjectId: address(2),
    },
  ],
  maxLagSeconds: 60,
  access: kv && { kv, anonymousPerMinute: 1_000_000_000, trustProxy: 0 },
  log,
  metrics,
});
process.send?.(gateway.url);
tellCpuTime();
process.once('disconnect', async () => {
  await gateway.close();
  await kv?.close();
  await db.close();
});
