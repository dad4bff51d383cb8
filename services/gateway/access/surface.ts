import { splitUrl } from '../../../lib/http/exchange.ts';

/**
 * Whom a path is for: anyone (`open`), holders of a credential that the gateway judges (`host`), or of one that the
 * agent service does (`agent`).
 */
type Surface = 'open' | 'host' | 'agent';

const hostPaths = ['/api/adaptors/keys', '/api/adaptors/webhooks'];
const agentPaths = ['/api/agent'];

export function surfaceOf(url: string): Surface {
  // Routes are found by the path alone, also where a request names its host in the url, as to a proxy.
  const { path } = splitUrl(url.replace(/^[^/?]+:\/\/[^/?]*/, ''));
  const isBelow = (base: string) => path === base || path.startsWith(`${base}/`);
  if (hostPaths.some(isBelow)) return 'host';
  return agentPaths.some(isBelow) ? 'agent' : 'open';
}
