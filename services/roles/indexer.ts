import { openDatabase } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/index.ts';
import { followedSources } from '../../lib/config/sources.ts';
import { createOutbound, dnsLookup } from '../../lib/outbound/index.ts';
import { startIndexer } from '../indexer/index.ts';
import type { Process } from './process.ts';

export function indexer(
  databaseUrl: string,
  networks: NetworkSettings[],
  { config, log, metrics, closing }: Process,
): void {
  const sources = networks.flatMap((settings) => followedSources(settings));
  const db = openDatabase(databaseUrl, { max: sources.length + networks.length + 8, name: 'indexer', log });
  closing.defer(() => db.close());
  const outbound = createOutbound({ allowCidrs: config.outboundAllowCidrs, lookup: dnsLookup() });
  closing.defer(() => outbound.close());
  const running = startIndexer({ db, networks, outbound, log, metrics });
  closing.defer(() => running.close());
  log.info({ networks: networks.map(({ network }) => network) }, 'follows the chain');
}
