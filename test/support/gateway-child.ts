import { openDatabase } from '../../db/client.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { offlineGateway } from './offline-gateway.ts';

const gateway = await startGateway({
  db: openDatabase(process.argv[2]!, { max: 10, statementTimeoutMs: 10_000 }),
  ...offlineGateway(),
});
process.on('message', () => process.send!(process.resourceUsage().maxRSS));
process.send!(gateway.url);
