/** A dispatcher as a process of its own, to be killed: `node dispatcher-process.ts <database url> <redis url>`. */
import { Registry } from 'prom-client';
import { openDatabase } from '../../../db/client.ts';
import { createLogger } from '../../../lib/log/index.ts';
import { webhookOutbound } from '../../../lib/webhooks/outbound.ts';
import { secretBox } from '../../../lib/webhooks/secrets.ts';
import { openSubscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { createDispatcher } from '../../../services/dispatcher/index.ts';
import { adminSecret } from '../keys.ts';
import { openTestKv } from '../kv.ts';

const [databaseUrl = '', redisUrl = ''] = process.argv.slice(2);
const log = createLogger('error');
const metrics = new Registry();
const kv = await openTestKv(redisUrl);
createDispatcher({
  db: openDatabase(databaseUrl, { max: 6, name: 'chaos' }),
  networks: ['testnet'],
  subscriptions: openSubscriptions(kv),
  secrets: secretBox(adminSecret),
  outbound: webhookOutbound(['127.0.0.0/8']),
  log,
  metrics,
  // Enough attempts for whoever flaps, in milliseconds instead of hours.
  rules: {
    scheduleMs: Array.from({ length: 60 }, () => 20),
    overloadMs: 200,
    disableAfterMs: 3_600_000,
  },
  timeoutMs: 1_500,
  leaseMs: 4_000,
  pollMs: 50,
}).start();
process.send?.('started');
