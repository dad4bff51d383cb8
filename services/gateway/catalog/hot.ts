import { type Exchange, type Step, sendRepresentation } from '../../../lib/http/exchange.ts';
import { accepts, chooseEncoding } from '../../../lib/http/negotiation.ts';
import { commonHeaders } from '../access/headers.ts';
import type { PreparedCatalogs } from './prepared.ts';
import type { IndexWatch } from './watch.ts';

export interface CatalogSource {
  prepared: PreparedCatalogs;
  watch: IndexWatch;
}

const constantHeaders = commonHeaders.flat();

/**
 * Answers the whole catalog from prepared bytes, ahead of everything that costs time. Whatever is unusual about
 * a request (another spelling of the query, an accept header that refuses JSON) is left to the route, which
 * gives the same answer or says what is wrong.
 */
export function hotCatalog(
  { prepared, watch }: CatalogSource,
  networks: readonly string[],
  defaultNetwork: string,
): Step {
  const networkByUrl = new Map([
    ['/api/adaptors', defaultNetwork],
    ...networks.map((network): [string, string] => [`/api/adaptors?network=${network}`, network]),
  ]);
  return (exchange) => {
    const { req } = exchange;
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    const network = networkByUrl.get(req.url ?? '');
    const catalog = network === undefined ? undefined : prepared.get(network);
    const encoding = chooseEncoding(req);
    if (network === undefined || !catalog || !encoding || !accepts(req, 'application/json')) return false;
    exchange.route = '/api/adaptors';
    sendRepresentation(exchange, catalog[encoding], [
      ...constantHeaders,
      ...freshness(exchange, watch.checkpoint(network, 'registry')),
    ]);
    return true;
  };
}

function freshness({ requestId }: Exchange, checkpoint: number | undefined): string[] {
  const headers = ['x-request-id', requestId];
  if (checkpoint !== undefined) headers.push('x-indexed-checkpoint', String(checkpoint));
  return headers;
}
