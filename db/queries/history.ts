import { type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { type ChainEvent, type EventRow, selectedEvent, toEvent } from './events.ts';
import { byPosition, type KeyedList, keyColumns, type Paging, readPages } from './lists.ts';
import type { Page } from './page.ts';
import { eventPosition, type Queryable } from './queryable.ts';

/** A part of one listing's history, the newest first. */
interface HistoryKey extends Paging {
  network: string;
  serviceType: string;
  publisher: string;
  /** `true` to read the previous version of each version, and the known manifests of both. */
  compared?: boolean;
}

const versionColumns = readColumns(
  tables.listingVersions,
  ['version', 'listed', 'packageId', 'manifestUri', 'manifestHash', ...eventPosition],
  { timestampMs: 'timestamp' },
);

/** A version after a registration, an update or an unlisting; the manifest is absent for an unlisting. */
export interface ListingVersion extends Item<typeof versionColumns> {
  /** The version before it; null for the first. */
  previous: Pick<ListingVersion, 'version' | 'listed' | 'packageId' | 'manifestUri' | 'manifestHash'> | null;
  /** Hashes of the manifests of this version and the previous one that the index has. */
  known: string[];
}

type VersionRow = Row<typeof versionColumns> & Pick<ListingVersion, 'previous' | 'known'>;

const listingKey = keyColumns(tables.listingVersions, 'network', 'serviceType', 'publisher');

/** The versions without data for comparison: `previous` is always null and `known` is empty. */
export const versionList: KeyedList<HistoryKey, VersionRow, ListingVersion> = {
  name: 'versions',
  key: listingKey,
  from: 'listing_versions v',
  where: 'v.network = key.network and v.service_type = key.service_type and v.publisher = key.publisher',
  select: versionColumns.select('v'),
  ...byPosition('v.checkpoint', 'v.tx_index', 'v.event_index'),
  toItem: (row) => ({ ...versionColumns.toItem(row), previous: null, known: [] }),
};

/** The versions, each with the one before it and the hashes of the manifests that the index has of both. */
export const comparedVersionList: typeof versionList = {
  ...versionList,
  name: 'compared-versions',
  rest: `left join lateral (
  select p.manifest_hash, json_build_object('version', p.version, 'listed', p.listed, 'packageId', p.package_id,
    'manifestUri', p.manifest_uri, 'manifestHash', p.manifest_hash) as json
  from listing_versions p
  where p.network = key.network and p.service_type = key.service_type and p.publisher = key.publisher
    and (p.checkpoint, p.tx_index, p.event_index) < (at.checkpoint, at."txIndex", at."eventIndex")
  order by p.checkpoint desc, p.tx_index desc, p.event_index desc limit 1
) previous on true`,
  columns: `at.*, previous.json as previous, array(
    select m.hash from manifests m where m.hash in (at."manifestHash", previous.manifest_hash)
  ) as known`,
  toItem: (row) => ({ ...versionColumns.toItem(row), previous: row.previous, known: row.known }),
};

/** @throws ProblemError `bad_cursor` */
export const readVersions = (db: Queryable, keys: readonly HistoryKey[]): Promise<Page<ListingVersion>[]> =>
  readPages(db, versionList, keys);

/** A listing's own events and the attestations of its service type. */
export const listingEventList: KeyedList<HistoryKey, EventRow, ChainEvent> = {
  name: 'events',
  key: listingKey,
  from: `(
    select v.checkpoint, v.tx_index, v.event_index from listing_versions v
    where v.network = key.network and v.service_type = key.service_type and v.publisher = key.publisher
    union all
    select a.checkpoint, a.tx_index, a.event_index from attestations a
    where a.network = key.network and a.service_type = key.service_type
  ) positions`,
  where: 'true',
  select: 'checkpoint',
  rest: `join events e on e.network = key.network and e.checkpoint = at.checkpoint
  and e.tx_index = at.at_1 and e.event_index = at.at_2`,
  columns: selectedEvent,
  ...byPosition('checkpoint', 'tx_index', 'event_index'),
  toItem: toEvent,
};

/** @throws ProblemError `bad_cursor` */
export const readEvents = (db: Queryable, keys: readonly HistoryKey[]): Promise<Page<ChainEvent>[]> =>
  readPages(db, listingEventList, keys);
