import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { address } from './read-model.ts';

const gateway = await startGateway({
  db: openDatabase(process.argv[2]!, { max: 10, statementTimeoutMs: 10_000 }),
  host: '127.0.0.1',
  port: 0,
  defaultNetwork: 'testnet',
  networks: [
    {
      network: 'testnet',
      rpcUrl: 'http://127.0.0.1:1',
      registryPackageId: address(0xeee),
      registryObjectId: address(0xfff),
    },
  ],
  maxLagSeconds: 60,
  log: silentLogger,
  metrics: new Registry(),
});
process.on('message', () => process.send!(process.resourceUsage().maxRSS));
process.send!(gateway.url);
