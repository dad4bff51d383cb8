import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { createKv } from '../../lib/kv/index.ts';
import { parseRedisUrl } from '../../lib/kv/settings.ts';
import { createLogger } from '../../lib/log/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { address } from '../../test/support/read-model.ts';
import { answerCpuTime } from '../measure.ts';

// The gateway as an operator runs it, with or without a key-value store. Sends its url to the parent process. The rate limit
// is higher than any load. Replicas are urls with commas between them.
const [databaseUrl, redisUrl, connections = '4', replicas = ''] = process.argv.slice(2);
const db = openDatabase(databaseUrl!, { max: Number(connections), pipeline: true });
const log = createLogger('info');
const metrics = new Registry();
const kv = redisUrl
  ? await createKv({ kind: 'redis', address: parseRedisUrl(redisUrl)! }, { log, metrics })
  : undefined;
const gateway = await startGateway({
  db,
  readReplicas: { urls: replicas.split(',').filter(Boolean), lagMsMax: 5_000 },
  host: '127.0.0.1',
  port: 0,
  defaultNetwork: 'testnet',
  networks: [
    {
      network: 'testnet',
      rpcUrl: 'http://127.0.0.1:1',
      registryPackageId: address(1),
      registryObjectId: address(2),
      walletPackageId: address(3),
    },
  ],
  maxLagSeconds: 60,
  access: kv && { kv, anonymousPerMinute: 1_000_000_000, trustProxy: 0 },
  log,
  metrics,
});
process.send?.(gateway.url);
answerCpuTime();
process.once('disconnect', async () => {
  await gateway.close();
  await kv?.close();
  await db.close();
});
