import type { z } from 'zod';
import { decodeCursor, encodeCursor, type Page, positionShape, toPage } from './page.ts';
import type { Queryable, Statement } from './queryable.ts';

/** A part of one listing's history, the newest first. */
export interface HistoryKey {
  network: string;
  serviceType: string;
  publisher: string;
  first: number;
  /** Cursor of the item before the part. */
  after?: string | undefined;
}

/** A version as registration, update or unlisting made it; the manifest is absent where it was unlisted. */
export interface ListingVersion {
  version: number;
  listed: boolean;
  packageId: string | null;
  manifestUri: string | null;
  manifestHash: string | null;
  timestampMs: number;
  checkpoint: number;
}

export interface RegistryEvent {
  /** `<transaction digest>:<event index>`. */
  id: string;
  /** `Registered`, `Updated`, `Unlisted` or `Attested`. */
  name: string;
  type: string;
  sender: string;
  txDigest: string;
  checkpoint: number;
  timestampMs: number;
  /** The event's own fields; null where its bytes did not decode. */
  data: Record<string, unknown> | null;
}

interface PlacedRow {
  position: number;
  checkpoint: number;
  tx_index: number;
  event_index: number;
  timestamp: Date;
}

/**
 * One page per key, whatever their number and sizes, in one round trip. `positions` are the rows of one `key`,
 * `rest` joins to the page what its positions alone do not say.
 */
const pagesOf = (columns: string, positions: string, rest = '') => `
select key.position::int, at.checkpoint, at.tx_index, at.event_index, ${columns}
from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::bigint[], $6::int[], $7::int[])
  with ordinality as key (network, service_type, publisher, first, checkpoint, tx_index, event_index, position)
cross join lateral (
  select * from (${positions}) positions
  where key.checkpoint is null
    or (checkpoint, tx_index, event_index) < (key.checkpoint, key.tx_index, key.event_index)
  order by checkpoint desc, tx_index desc, event_index desc
  limit key.first + 1
) at ${rest}
order by key.position, at.checkpoint desc, at.tx_index desc, at.event_index desc`;

const listVersions: Statement = {
  name: 'list-versions',
  text: pagesOf(
    'at.timestamp, at.version, at.listed, at.package_id, at.manifest_uri, at.manifest_hash',
    `select * from listing_versions v
     where v.network = key.network and v.service_type = key.service_type and v.publisher = key.publisher`,
  ),
};

/** A listing's own events and the attestations of its service type. */
const listEvents: Statement = {
  name: 'list-events',
  text: pagesOf(
    'e.timestamp, e.name, e.type, e.sender, e.tx_digest, e.data',
    `select v.checkpoint, v.tx_index, v.event_index from listing_versions v
     where v.network = key.network and v.service_type = key.service_type and v.publisher = key.publisher
     union all
     select a.checkpoint, a.tx_index, a.event_index from attestations a
     where a.network = key.network and a.service_type = key.service_type`,
    `join events e on e.network = key.network and e.checkpoint = at.checkpoint
       and e.tx_index = at.tx_index and e.event_index = at.event_index`,
  ),
};

interface VersionRow extends PlacedRow {
  version: number;
  listed: boolean;
  package_id: string | null;
  manifest_uri: string | null;
  manifest_hash: string | null;
}

/** @throws ProblemError `bad_cursor` */
export function readVersions(db: Queryable, keys: readonly HistoryKey[]): Promise<Page<ListingVersion>[]> {
  return readPages<VersionRow, ListingVersion>(db, listVersions, keys, (row) => ({
    version: row.version,
    listed: row.listed,
    packageId: row.package_id,
    manifestUri: row.manifest_uri,
    manifestHash: row.manifest_hash,
    timestampMs: row.timestamp.getTime(),
    checkpoint: row.checkpoint,
  }));
}

interface EventRow extends PlacedRow {
  name: string;
  type: string;
  sender: string;
  tx_digest: string;
  data: Record<string, unknown> | null;
}

/** @throws ProblemError `bad_cursor` */
export function readEvents(db: Queryable, keys: readonly HistoryKey[]): Promise<Page<RegistryEvent>[]> {
  return readPages<EventRow, RegistryEvent>(db, listEvents, keys, (row) => ({
    id: `${row.tx_digest}:${row.event_index}`,
    name: row.name,
    type: row.type,
    sender: row.sender,
    txDigest: row.tx_digest,
    checkpoint: row.checkpoint,
    timestampMs: row.timestamp.getTime(),
    data: row.data,
  }));
}

async function readPages<Row extends PlacedRow, Item>(
  db: Queryable,
  statement: Statement,
  keys: readonly HistoryKey[],
  toItem: (row: Row) => Item,
): Promise<Page<Item>[]> {
  const after = keys.map((key) => positionBefore(key));
  const { rows } = await db.query<Row>({
    ...statement,
    values: [
      keys.map((key) => key.network),
      keys.map((key) => key.serviceType),
      keys.map((key) => key.publisher),
      keys.map((key) => key.first),
      ...[0, 1, 2].map((part) => after.map((position) => position?.[part] ?? null)),
    ],
  });
  const byPosition = Map.groupBy(rows, (row) => row.position);
  const toCursor = (row: Row) => encodeCursor([row.checkpoint, row.tx_index, row.event_index]);
  return keys.map((key, at) => toPage(byPosition.get(at + 1) ?? [], key.first, toItem, toCursor));
}

function positionBefore({ after }: HistoryKey): z.infer<typeof positionShape> | undefined {
  return after === undefined ? undefined : decodeCursor(after, positionShape);
}
