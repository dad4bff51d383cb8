/** Rate limits of a gateway in a process of their own: `counting-process.ts <redis url> <requests a minute>`. */
import { Registry } from '@prometheus-io/client';
import type { Exchange } from '../../lib/http/exchange.ts';
import { serve } from '../../lib/http/serve.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { Admission } from '../../services/gateway/access/admission.ts';
import { limitRequests } from '../../services/gateway/access/limits.ts';
import { openTestKv } from './kv.ts';

const [redisUrl, perMinute] = process.argv.slice(2);
const log = silentLogger;
const metrics = new Registry();
// Sixteen of these processes on two cores wait longer than a request may, so this store has no time limit.
const kv = await openTestKv(redisUrl!);
const access = new Admission({
  kv,
  anonymousPerMinute: Number(perMinute),
  trustProxy: 0,
  metrics,
  onKeyUse: () => undefined,
});
const answer = ({ res }: Exchange) => {
  res.end('passed');
  return true;
};
const server = await serve('127.0.0.1', 0, [limitRequests(access, [], log), answer], log);
process.send!(server.url);
process.once('disconnect', async () => {
  await server.close();
  await kv.close();
});
