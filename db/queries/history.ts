import { type ChainEvent, type EventRow, eventColumns, toEvent } from './events.ts';
import { byPosition, type KeyedList, type Paging, readPages } from './lists.ts';
import type { Page } from './page.ts';
import type { Queryable } from './queryable.ts';

/** A part of one listing's history, the newest first. */
interface HistoryKey extends Paging {
  network: string;
  serviceType: string;
  publisher: string;
  /** `true` to read the previous version of each version, and the known manifests of both. */
  compared?: boolean;
}

/** A version after a registration, an update or an unlisting; the manifest is absent for an unlisting. */
export interface ListingVersion {
  version: number;
  listed: boolean;
  packageId: string | null;
  manifestUri: string | null;
  manifestHash: string | null;
  timestampMs: number;
  checkpoint: number;
  txIndex: number;
  eventIndex: number;
  /** The version before it; null for the first. */
  previous: Pick<ListingVersion, 'version' | 'listed' | 'packageId' | 'manifestUri' | 'manifestHash'> | null;
  /** Hashes of the manifests of this version and the previous one that the index has. */
  known: string[];
}

interface VersionRow {
  at_0: number;
  at_1: number;
  at_2: number;
  timestamp: Date;
  version: number;
  listed: boolean;
  package_id: string | null;
  manifest_uri: string | null;
  manifest_hash: string | null;
  previous: ListingVersion['previous'];
  known: string[];
}

const listingKey = {
  network: ['text', ({ network }: HistoryKey) => network],
  service_type: ['text', ({ serviceType }: HistoryKey) => serviceType],
  publisher: ['text', ({ publisher }: HistoryKey) => publisher],
} as const;

const toVersion = (row: Omit<VersionRow, 'previous' | 'known'>) => ({
  version: row.version,
  listed: row.listed,
  packageId: row.package_id,
  manifestUri: row.manifest_uri,
  manifestHash: row.manifest_hash,
  timestampMs: row.timestamp.getTime(),
  checkpoint: row.at_0,
  txIndex: row.at_1,
  eventIndex: row.at_2,
});

/** The versions without data for comparison: `previous` is always null and `known` is empty. */
export const versionList: KeyedList<HistoryKey, VersionRow, ListingVersion> = {
  name: 'versions',
  key: listingKey,
  from: 'listing_versions v',
  where: 'v.network = key.network and v.service_type = key.service_type and v.publisher = key.publisher',
  select: 'v.timestamp, v.version, v.listed, v.package_id, v.manifest_uri, v.manifest_hash',
  ...byPosition('v.checkpoint', 'v.tx_index', 'v.event_index'),
  toItem: (row) => ({ ...toVersion(row), previous: null, known: [] }),
};

export const comparedVersionList: typeof versionList = {
  ...versionList,
  name: 'compared-versions',
  rest: `left join lateral (
  select p.manifest_hash, json_build_object('version', p.version, 'listed', p.listed, 'packageId', p.package_id,
    'manifestUri', p.manifest_uri, 'manifestHash', p.manifest_hash) as json
  from listing_versions p
  where p.network = key.network and p.service_type = key.service_type and p.publisher = key.publisher
    and (p.checkpoint, p.tx_index, p.event_index) < (at.at_0, at.at_1, at.at_2)
  order by p.checkpoint desc, p.tx_index desc, p.event_index desc limit 1
) previous on true`,
  columns: `at.*, previous.json as previous, array(
    select m.hash from manifests m where m.hash in (at.manifest_hash, previous.manifest_hash)
  ) as known`,
  toItem: (row) => ({ ...toVersion(row), previous: row.previous, known: row.known }),
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
  rest: `join events e on e.network = key.network and e.checkpoint = at.at_0
  and e.tx_index = at.at_1 and e.event_index = at.at_2`,
  columns: eventColumns,
  ...byPosition('checkpoint', 'tx_index', 'event_index'),
  toItem: toEvent,
};

/** @throws ProblemError `bad_cursor` */
export const readEvents = (db: Queryable, keys: readonly HistoryKey[]): Promise<Page<ChainEvent>[]> =>
  readPages(db, listingEventList, keys);
