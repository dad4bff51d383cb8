import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Queryable } from '../db/queries/queryable.ts';
import type { SourceName } from '../lib/config/networks.ts';
import type { Manifests } from './manifests.ts';

/** What one request's resolvers share. */
export interface GraphContext {
  db: Queryable;
  manifests: Manifests;
  /** The network that a query means; throws for one that is not served. */
  choose: (requested: Network | undefined) => Network;
  /** Throws where the host does not follow a source of the network: nothing would be a false answer. */
  requireSource: (network: Network, source: SourceName) => void;
}
