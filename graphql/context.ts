import type { Queryable } from '../db/queries/queryable.ts';
import type { Network } from '../lib/config/index.ts';

/** What one request's resolvers share. */
export interface GraphContext {
  db: Queryable;
  /** The network that a query means; throws for one that is not served. */
  choose: (requested: Network | undefined) => Network;
}
