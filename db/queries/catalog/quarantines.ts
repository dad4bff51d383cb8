import type { ClientBase, Pool } from 'pg';
import { type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { decodeIdCursor, type Page, toIdPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';
import { appendServiceEvents } from '../service-events.ts';
import { type ListingKey, refreshEntries } from './maintain.ts';
import { advanceCatalog, lockCatalog } from './revision.ts';

/** Subject of a quarantine on a network: a service type in canonical form, or the address of a publisher. */
interface Subject {
  network: string;
  subject: string;
}

/** An action of an operator: its subject, the reason in words, and the name that the operator gave. */
interface Decision extends Subject {
  reason: string;
  operator: string;
}

const actionColumns = readColumns(
  tables.operatorActions,
  ['id', 'network', 'subject', 'reason', 'operator'],
  {
    sinceMs: 'takenAt',
  },
);
const releaseColumns = readColumns(tables.operatorActions, ['reason', 'operator'], { atMs: 'takenAt' });

interface QuarantineRecord extends Item<typeof actionColumns> {
  /** The release that ended it; null while it is in force. */
  released: Item<typeof releaseColumns> | null;
}

/** `alreadyQuarantined`: the quarantine that is in force stays as it is. */
type QuarantineResult =
  | { kind: 'quarantined'; record: QuarantineRecord }
  | { kind: 'alreadyQuarantined'; reason: string; since: Date }
  | { kind: 'unknown' };

/** Quarantines a service type or a publisher. Its entries leave the catalog in the same transaction. */
export async function quarantine(db: Pool, decision: Decision): Promise<QuarantineResult> {
  return await inTransaction(db, async (client): Promise<QuarantineResult> => {
    // The lock comes first: the indexer stores an entry under it, so it sees either the quarantine or its own entry.
    const catalog = await lockCatalog(client, decision.network);
    const listings = await readListings(client, decision);
    if (listings.length === 0) return { kind: 'unknown' };
    const inForce = await readInForce(client, decision);
    if (inForce) return { kind: 'alreadyQuarantined', reason: inForce.reason, since: inForce.since };
    const action = await addAction(client, decision, 'quarantine', null);
    await client.query({
      name: 'add-quarantine',
      text: `insert into quarantines (network, subject, action, reason, since)
        select network, subject, id, reason, taken_at from operator_actions where id = $1`,
      values: [action.id],
    });
    await refreshEntries(client, catalog, listings);
    await advanceCatalog(client, catalog);
    await appendServiceEvents(client, [{ ...toEvent(decision), name: 'Quarantined' }]);
    return { kind: 'quarantined', record: { ...actionColumns.toItem(action), released: null } };
  });
}

/** `changed`: another quarantine than the one that the operator decided on is in force. It stays as it is. */
type ReleaseResult =
  | { kind: 'released'; record: QuarantineRecord }
  | { kind: 'changed'; id: number; reason: string }
  | { kind: 'notQuarantined' };

/**
 * Ends the quarantine of a subject, if it is that of `id`; without `id`, the one that is in force. Its listings are shown
 * again as their checks allow.
 */
export async function release(
  db: Pool,
  decision: Decision & { id?: number | undefined },
): Promise<ReleaseResult> {
  return await inTransaction(db, async (client): Promise<ReleaseResult> => {
    const catalog = await lockCatalog(client, decision.network);
    const inForce = await readInForce(client, decision);
    if (!inForce) return { kind: 'notQuarantined' };
    if (decision.id !== undefined && decision.id !== inForce.action)
      return { kind: 'changed', id: inForce.action, reason: inForce.reason };
    const { rows } = await client.query<ActionRow>({
      name: 'read-operator-action',
      text: `select ${actionColumns.select('a')} from operator_actions a where a.id = $1`,
      values: [inForce.action],
    });
    const { reason, operator, sinceMs } = await addAction(client, decision, 'release', inForce.action);
    await client.query({
      name: 'remove-quarantine',
      text: 'delete from quarantines where network = $1 and subject = $2',
      values: [decision.network, decision.subject],
    });
    await refreshEntries(client, catalog, await readListings(client, decision));
    await advanceCatalog(client, catalog);
    await appendServiceEvents(client, [{ ...toEvent(decision), name: 'QuarantineLifted' }]);
    const released = { reason, operator, atMs: sinceMs.getTime() };
    return { kind: 'released', record: { ...actionColumns.toItem(rows[0]!), released } };
  });
}

type ActionRow = Row<typeof actionColumns>;

/** Returns network and data of the event that reports a decision. */
function toEvent({ network, subject, reason }: Decision) {
  // No address has colons, and every service type has.
  const ofService = subject.includes('::');
  const data = { serviceType: ofService ? subject : null, publisher: ofService ? null : subject, reason };
  return { network, data };
}

async function addAction(
  client: ClientBase,
  { network, subject, reason, operator }: Decision,
  action: 'quarantine' | 'release',
  ends: number | null,
): Promise<ActionRow> {
  const { rows } = await client.query<ActionRow>({
    name: 'add-operator-action',
    // The clock and not the transaction's start, which may be before the wait for the lock.
    text: `insert into operator_actions as a (network, subject, action, ends, reason, operator, taken_at)
      values ($1, $2, $3, $4, $5, $6, date_trunc('milliseconds', clock_timestamp()))
      returning ${actionColumns.select('a')}`,
    values: [network, subject, action, ends, reason, operator],
  });
  return rows[0]!;
}

const inForceColumns = readColumns(tables.quarantines, ['action', 'reason', 'since']);

async function readInForce(client: ClientBase, { network, subject }: Subject) {
  const { rows } = await client.query<Row<typeof inForceColumns>>({
    name: 'read-quarantine',
    text: `select ${inForceColumns.select('q')} from quarantines q where q.network = $1 and q.subject = $2`,
    values: [network, subject],
  });
  return rows[0];
}

const listingKey = readColumns(tables.listings, ['serviceType', 'publisher']);

async function readListings(client: ClientBase, { network, subject }: Subject): Promise<ListingKey[]> {
  const { rows } = await client.query<ListingKey>({
    name: 'find-quarantined-listings',
    text: `select ${listingKey.select('l')} from listings l where l.network = $1 and l.service_type = $2
      union
      select ${listingKey.select('l')} from listings l where l.network = $1 and l.publisher = $2`,
    values: [network, subject],
  });
  return rows;
}

/** `active`: in force. `all`: also those that were released. */
export const quarantineFilters = ['active', 'all'] as const;

interface QuarantinesQuery {
  network: string;
  filter: (typeof quarantineFilters)[number];
  limit: number;
  cursor?: string | undefined;
}

/**
 * Lists the quarantines of a network, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function listQuarantines(
  db: Queryable,
  { network, filter, limit, cursor }: QuarantinesQuery,
): Promise<Page<QuarantineRecord>> {
  const { rows } = await db.query<
    ActionRow & { releaseReason: string | null; releaseOperator: string; releasedAt: Date }
  >({
    name: `list-quarantines-${filter}`,
    text: `select ${actionColumns.select('a')}, r.reason as "releaseReason", r.operator as "releaseOperator",
        r.taken_at as "releasedAt"
      from operator_actions a
      ${filter === 'active' ? 'join quarantines q on q.network = a.network and q.action = a.id' : ''}
      left join operator_actions r on r.ends = a.id
      where a.network = $1 and a.action = 'quarantine' and a.id < $2::bigint
      order by a.id desc limit $3::int + 1`,
    values: [network, decodeIdCursor(cursor), limit],
  });
  const toItem = (row: (typeof rows)[number]): QuarantineRecord => ({
    ...actionColumns.toItem(row),
    released:
      row.releaseReason === null
        ? null
        : { reason: row.releaseReason, operator: row.releaseOperator, atMs: row.releasedAt.getTime() },
  });
  return toIdPage(rows, limit, toItem);
}
