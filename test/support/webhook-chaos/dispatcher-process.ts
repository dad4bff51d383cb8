/**
 * A dispatcher in a process of its own, which tests can kill: `node dispatcher-process.ts <database url> <redis url>`.
 */
import { Registry } from '@prometheus-io/client';
import { openDatabase } from '../../../db/client.ts';
import { createLogger } from '../../../lib/log/index.ts';
import { createWebhookOutbound } from '../../../lib/outbound/index.ts';
import { createSecretBox } from '../../../lib/webhooks/signing.ts';
import { openSubscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { createDispatcher } from '../../../services/dispatcher/dispatcher.ts';
import { adminSecret } from '../keys.ts';
import { openTestKv } from '../kv.ts';
import { unhurriedDispatch } from '../receiver.ts';

const [databaseUrl = '', redisUrl = ''] = process.argv.slice(2);
const log = createLogger('error');
const metrics = new Registry();
const kv = await openTestKv(redisUrl);
const outbound = createWebhookOutbound(['127.0.0.0/8']);
createDispatcher({
  db: openDatabase(databaseUrl, { max: 6, name: 'chaos' }),
  networks: ['testnet'],
  subscriptions: openSubscriptions(kv),
  secrets: createSecretBox(adminSecret),
  // The URL contains the process id, so that the receivers know the sender of a request.
  outbound: { postBytes: (url, options) => outbound.postBytes(`${url}?${process.pid}`, options) },
  log,
  metrics,
  // Enough attempts for a flapping receiver, at intervals of milliseconds instead of hours.
  rules: {
    scheduleMs: Array.from({ length: 60 }, () => 20),
    overloadMs: 200,
    disableAfterMs: 3_600_000,
  },
  ...unhurriedDispatch,
  pollMs: 50,
}).start();
process.send?.('started');
