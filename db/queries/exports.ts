import { FatalError } from '../../lib/errors/index.ts';
import { analyticsViews } from '../views/names.ts';
import type { Queryable } from './queryable.ts';

/** Rows that are only ever added, in the order of their events. */
export interface AppendDataset {
  name: string;
  /** The sources whose events make the rows. Each of them is read up to its own checkpoint. */
  sources: readonly string[];
  /**
   * The statement with the parameters network, source and the three numbers of a cursor. It returns the rows after the
   * cursor: its position in the first three columns, and its time in `occurred_at`.
   */
  sql: string;
}

/** Rows that have a day. Those of past days do not change. */
export interface DayDataset {
  name: string;
  /** The statement with the parameters network and first day. It returns rows in the order of `day`. */
  sql: string;
}

/** Rows that may change at any time. */
export interface StateDataset {
  name: string;
  sql: string;
}

const after = `(checkpoint, tx_index, event_index) > ($3::bigint, $4::int, $5::int)
  order by checkpoint, tx_index, event_index`;

export const appendDatasets: readonly AppendDataset[] = [
  {
    name: 'events',
    sources: ['registry', 'wallet', 'rules', 'agents', 'escrow'],
    sql: `select checkpoint, tx_index, event_index, source, tx_digest || ':' || event_index::text as event_id, name, type,
        "timestamp" as occurred_at, tx_digest, sender, data, decode_error
      from events where network = $1 and source = $2 and ${after}`,
  },
  {
    name: 'attestations',
    sources: ['registry'],
    sql: `select checkpoint, tx_index, event_index, e.tx_digest || ':' || event_index::text as event_id, a.service_type,
        a.attester, a.score, a.comment_uri, a."timestamp" as occurred_at
      from attestations a join events e using (network, checkpoint, tx_index, event_index)
      where network = $1 and $2 = 'registry' and ${after}`,
  },
  {
    name: 'listing_versions',
    sources: ['registry'],
    sql: `select checkpoint, tx_index, event_index, service_type, publisher, version, listed, package_id, manifest_uri,
        manifest_hash, occurred_at
      from analytics.listing_versions where network = $1 and $2 = 'registry' and ${after}`,
  },
  {
    name: 'service_actions',
    sources: ['wallet'],
    sql: `select checkpoint, tx_index, event_index, a.service_type, a.wallet_id, a.actors, a.coins, a.taken, a.brought,
        e.tx_digest, a."timestamp" as occurred_at
      from service_actions a join events e using (network, checkpoint, tx_index, event_index)
      where network = $1 and $2 = 'wallet' and ${after}`,
  },
];

const describeDays = (name: string, columns: string): DayDataset => ({
  name,
  sql: `select day, ${columns} from analytics.${name} where network = $1 and day >= $2::date order by day`,
});

export const dayDatasets: readonly DayDataset[] = [
  describeDays('service_days', 'service_type, actions, wallets'),
  // Without the symbol of the coin, which may be found later.
  describeDays('service_coin_days', 'service_type, coin, actions, taken, brought'),
  describeDays('service_rating_days', 'service_type, ratings, score_sum, average_score'),
  describeDays('listing_days', 'registered, updated, unlisted'),
];

/** Views that the other datasets give. */
const derivedViews = ['registry_events'];

const columnsOfState: Record<string, string> = {
  service_first_uses: `network, service_type, listed_at, first_action_at,
    extract(epoch from time_to_first_use)::float8 as time_to_first_use`,
};

/** The views whose rows may change, each read as a whole. */
export const stateDatasets: readonly StateDataset[] = [...analyticsViews]
  .filter((name) => !derivedViews.includes(name))
  .filter((name) => ![...appendDatasets, ...dayDatasets].some((one) => one.name === name))
  .map((name) => ({ name, sql: `select ${columnsOfState[name] ?? '*'} from analytics.${name}` }));

/**
 * Returns the networks that have been indexed, each with the id of the chain that it was filled from.
 * @throws FatalError `database_empty` if the service has never started with this database
 */
export async function readExportedChains(db: Queryable): Promise<Map<string, string>> {
  const found = await db.query<{ has: boolean }>("select to_regclass('sources') is not null as has");
  if (!found.rows[0]!.has)
    throw new FatalError(
      'database_empty',
      'The database has no read model. Start the service with it first.',
    );
  const { rows } = await db.query<{ network: string; chain_id: string }>(
    `select distinct network, chain_id from sources where chain_id <> '' order by network`,
  );
  return new Map(rows.map(({ network, chain_id }) => [network, chain_id]));
}
