import type { ChangesText } from '@adaptor-marketplace/adaptor/certify';
import type { ListedOp } from '@adaptor-marketplace/adaptor/manifest';
import type { Pool } from 'pg';
import { columnTypes, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { inTransaction } from '../transaction.ts';
import type { DueItems } from './due.ts';
import { keyRows, type Queryable, toColumns } from './queryable.ts';
import { appendServiceEvents } from './service-events.ts';
import { shownManifest } from './shown-manifest.ts';
import { checkQueue, readInTurns, type Turns } from './turns.ts';

const dueColumns = readColumns(tables.claimChanges, ['serviceType', 'publisher', 'version']);

/** An update whose claims are due for comparison with those of the version before it. */
export interface DueUpdate extends Row<typeof dueColumns> {
  /** Attempts, this one included. */
  attempts: number;
}

const selectDue = `${dueColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Reads the due updates. A publisher with many updates delays no other. */
export async function readDueUpdates(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
): Promise<DueItems<DueUpdate>> {
  return await readInTurns<DueUpdate>(db, read, {
    name: 'due-updates',
    table: 'claim_changes',
    ...checkQueue,
    groups: [{ group: 'publisher', order: 'service_type, version' }],
    select: selectDue,
  });
}

interface UpdateKey {
  network: string;
  serviceType: string;
  publisher: string;
  version: number;
}

const isUpdate = 'network = $1 and service_type = $2 and publisher = $3 and version = $4';
const toValues = ({ network, serviceType, publisher, version }: UpdateKey) => [
  network,
  serviceType,
  publisher,
  version,
];

/** Reads a due update in its current state; undefined if it is no longer due. */
export async function readDueUpdate(db: Queryable, key: UpdateKey): Promise<DueUpdate | undefined> {
  const { rows } = await db.query<DueUpdate>({
    name: 'due-update',
    text: `select ${selectDue} from claim_changes q where ${isUpdate} and next_check_at <= now()`,
    values: toValues(key),
  });
  return rows[0];
}

/** A version of a listing, with the ops of its manifest. */
interface ComparedVersion {
  version: number;
  packageId: string;
  ops: ListedOp[];
}

/** Reads a version (first), and the last one before it that the catalog showed. */
export async function readUpdate(db: Queryable, key: UpdateKey): Promise<ComparedVersion[]> {
  const { rows } = await db.query<ComparedVersion>({
    name: 'read-update',
    text: `select c.version, v.package_id as "packageId", coalesce(${shownManifest} -> 'ops', '[]') as ops
      from claim_changes c
      cross join lateral (
        select v.package_id, v.manifest_hash from listing_versions v
        where v.network = c.network and v.service_type = c.service_type and v.publisher = c.publisher
          and v.version = c.version and v.listed
        order by v.checkpoint desc, v.tx_index desc, v.event_index desc limit 1) v
      join manifests m on m.hash = v.manifest_hash
      where c.network = $1 and c.service_type = $2 and c.publisher = $3 and c.version <= $4
        and c.version >= coalesce((select max(f.version) from claim_changes f
          where f.network = $1 and f.service_type = $2 and f.publisher = $3 and f.version < $4), $4)
      order by c.version desc`,
    values: toValues(key),
  });
  return rows;
}

/** A function that an update's ops call, if its claims differ or were not compared. */
export interface FunctionChanges extends ChangesText {
  packageId: string;
  module: string;
  function: string;
  /** Positions in `manifest.ops` of the ops that call it. */
  ops: number[];
  /** Package whose function of this name the former version called. Null if it called none. */
  formerPackageId: string | null;
  /** The reason why it has no certificate. Null if it was compared. */
  reason: string | null;
  /** `true` if it may do more than before, or was not compared. */
  widens: boolean;
  /** `true` if some of its code was not read. */
  unread: boolean;
}

/** Result of a comparison. */
interface UpdateChanges {
  formerVersion: number;
  widens: boolean;
  analysis: number;
  functions: readonly FunctionChanges[];
  hasMoreFunctions: boolean;
}

/**
 * Stores the result for an update, once. If the update may do more, subscribers are notified in the same transaction, so
 * that they are once for each update. Updates from before the source was first started add no event.
 */
export async function recordChanges(
  pool: Pool,
  key: UpdateKey,
  { packageId, ...changes }: UpdateChanges & { packageId: string },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ isNews: boolean | null }>({
      name: 'record-changes',
      text: `update claim_changes set state = 'computed', reason = null, waits_for = null, former_version = $5, widens = $6, analysis = $7,
          functions = $8, has_more_functions = $9, computed_at = clock_timestamp(), next_check_at = null, check_ready = false
        where ${isUpdate} and state = 'pending'
        returning (select l.ever_verified and l.updated_at >= s.followed_since from listings l
          join sources s on s.network = l.network and s.name = 'registry'
          where l.network = $1 and l.service_type = $2 and l.publisher = $3) as "isNews"`,
      values: [
        ...toValues(key),
        changes.formerVersion,
        changes.widens,
        changes.analysis,
        JSON.stringify(changes.functions),
        changes.hasMoreFunctions,
      ],
    });
    if (!rows[0]?.isNews || !changes.widens) return;
    const { network, ...update } = key;
    const { formerVersion } = changes;
    const data = { ...update, formerVersion, packageId, kinds: listWiderKinds(changes) };
    await appendServiceEvents(client, [{ network, name: 'ClaimsWidened', data }]);
  });
}

/** Returns the kinds of the claims that are wider, and `notRead` for code that was not compared. */
function listWiderKinds({ functions, hasMoreFunctions }: UpdateChanges): string[] {
  const kinds = functions.flatMap(({ sentences }) =>
    sentences.filter(({ widens }) => widens).map(({ kind }) => kind),
  );
  const isWhole = !hasMoreFunctions && functions.every(({ reason }) => reason === null);
  return [...new Set(isWhole ? kinds : [...kinds, 'notRead'])].sort();
}

/**
 * Stores an attempt that a later one repeats: after the time, or once the package is analyzed. An analysis that ends between
 * the attempt and this statement makes nothing due, so the time is needed.
 */
export async function postponeUpdate(
  db: Queryable,
  key: UpdateKey,
  postponed: { attempts: number; reason: string; waitsFor: string | null; retryAfterSeconds: number },
): Promise<void> {
  const { attempts, reason, waitsFor, retryAfterSeconds } = postponed;
  await db.query({
    name: 'postpone-update',
    text: `update claim_changes set reason = $5, waits_for = $6, check_attempts = $7,
        next_check_at = now() + make_interval(secs => $8::float8), check_ready = false
      where ${isUpdate} and state = 'pending'`,
    values: [...toValues(key), reason, waitsFor, attempts, retryAfterSeconds],
  });
}

const stateColumns = readColumns(tables.claimChanges, ['reason', 'formerVersion', 'widens', 'analysis']);

/** Comparison of a version of a listing with the one that the catalog showed before. */
export interface ClaimChanges extends Row<typeof stateColumns> {
  /** `first`: the catalog showed no version before it. */
  state: 'first' | 'pending' | 'computed';
  functions: FunctionChanges[];
  hasMoreFunctions: boolean;
}

/** Selects the comparison `c` of a version. One that the catalog does not show yet has none. */
const selectChanges = `${stateColumns.select('c')}, coalesce(c.state, 'pending') as state,
  coalesce(c.functions, '[]') as functions, coalesce(c.has_more_functions, false) as "hasMoreFunctions"`;

const updateKeys = keyRows(
  columnTypes(tables.claimChanges, 'network', 'serviceType', 'publisher', 'version'),
);

/** Reads the comparisons of versions, in the order of the keys. */
export async function readClaimChanges(db: Queryable, keys: readonly UpdateKey[]): Promise<ClaimChanges[]> {
  const { rows } = await db.query<ClaimChanges>({
    name: 'claim-changes',
    text: `select ${selectChanges} from ${updateKeys}
      left join claim_changes c on c.network = key.network and c.service_type = key.service_type
        and c.publisher = key.publisher and c.version = key.version order by key.nth`,
    values: toColumns(keys, 'network', 'serviceType', 'publisher', 'version'),
  });
  return rows;
}

const positionKeys = keyRows(
  columnTypes(tables.listingVersions, 'network', 'checkpoint', 'txIndex', 'eventIndex'),
);

/**
 * Reads the same for versions by the positions of their events, in the order of the keys; null for one that the catalog
 * never showed.
 */
export async function readChangesAt(
  db: Queryable,
  keys: readonly { network: string; checkpoint: number; txIndex: number; eventIndex: number }[],
): Promise<(ClaimChanges | null)[]> {
  const { rows } = await db.query<ClaimChanges & { version: number | null }>({
    name: 'claim-changes-at',
    text: `select ${selectChanges}, c.version from ${positionKeys}
      left join listing_versions v on v.network = key.network and v.checkpoint = key.checkpoint
        and v.tx_index = key.tx_index and v.event_index = key.event_index
      left join claim_changes c on c.network = v.network and c.service_type = v.service_type
        and c.publisher = v.publisher and c.version = v.version and v.listed order by key.nth`,
    values: toColumns(keys, 'network', 'checkpoint', 'txIndex', 'eventIndex'),
  });
  return rows.map((row) => (row.version === null ? null : row));
}
