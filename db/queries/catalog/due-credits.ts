import type { ClientBase } from 'pg';
import { isHire } from '../jobs.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import { listColumns } from './columns.ts';
import type { LockedCatalog } from './revision.ts';

/** Maximum number of rows of one queue that have their turn in a transaction. Each then reads ten credits or more. */
const turnsMax = 50;

/** Maximum number of credits of queued owners that become due in a transaction, and of rows that each other queue reads. */
const markedMax = 500;

const created = (job: string) =>
  listColumns(job, ['created_checkpoint', 'created_tx_index', 'created_event_index']);

/** SQL that queues the owners of `select`, which returns a network and an owner in each row: all their credits become due. */
export const addDueOwners = (select: string): string => `
  insert into owners_due as o (network, owner) ${select} order by owner
  on conflict (network, owner) do update set again = true where o.after_at > '-infinity' and not o.again`;

/** Queues owners: all their credits become due. Call it under the catalog's lock. */
export async function makeOwnersDue(
  client: ClientBase,
  { network }: LockedCatalog,
  owners: readonly string[],
): Promise<void> {
  await client.query({
    name: 'due-owners',
    text: addDueOwners('select distinct $1, owner from unnest($2::text[]) n (owner)'),
    values: [network, owners],
  });
}

/**
 * Queues listings of newly verified publishers. The credits of owners who are linked to the publisher, or who paid the
 * publisher as a payee, become due: no other credit depends on a publisher. Call it under the catalog's lock.
 * @param listings each at most once in its history, or a publisher could cause this work again and again
 */
export async function makeLinkedOwnersDue(
  client: ClientBase,
  { network }: LockedCatalog,
  listings: readonly { serviceType: string; publisher: string }[],
): Promise<void> {
  await client.query({
    name: 'due-linked-owners',
    text: `insert into publishers_due (network, service_type, publisher)
      select $1, service_type, publisher from unnest($2::text[], $3::text[]) l (service_type, publisher)
      order by service_type, publisher
      on conflict (network, service_type, publisher) do update set after_owner = ''`,
    values: [network, ...toColumns(listings, 'serviceType', 'publisher')],
  });
}

/** SQL for `turn`, the rows of a queue whose turn it is, and `share`, the number of rows that each reads, of `$2` in all. */
export const takeTurns = (table: string, key: string) => `
  turn as materialized (select * from ${table} where network = $1 order by turn_at, ${key} limit least($2::bigint, ${turnsMax})),
  share as materialized (select $2::bigint / greatest(1, count(*)) as size from turn)`;

/**
 * Makes the next credits of queued owners due. A credit that moves in the order meanwhile is not missed: the change that
 * moves it makes it due.
 */
const markOwners = `
  with ${takeTurns('owners_due', 'owner')},
  next as materialized (
    select c.* from turn t cross join lateral (
      select c.ctid as row_id, c.owner, c.subject, c.is_agent, c.first_use_at from rank_credits c
      where c.network = $1 and c.owner = t.owner
        and (c.is_agent, c.first_use_at, c.subject) > (t.after_agent, t.after_at, t.after_subject)
      order by c.is_agent, c.first_use_at, c.subject limit (select size from share)) c),
  marked as (
    -- By ctid: the planner cannot know how many they are, and would read all credits for some. The lock keeps them.
    update rank_credits set due = true where ctid = any (array(select row_id from next)) and not due),
  last as (
    select distinct on (owner) *, count(*) over (partition by owner) = (select size from share) as has_more from next
    order by owner, is_agent desc, first_use_at desc, subject desc),
  moved as (
    update owners_due o set after_agent = l.is_agent, after_at = l.first_use_at, after_subject = l.subject,
      turn_at = clock_timestamp()
    from last l where o.network = $1 and o.owner = l.owner and l.has_more),
  restarted as (
    update owners_due o set after_agent = default, after_at = default, after_subject = default, again = default,
      turn_at = default
    from turn t
    where o.network = $1 and o.owner = t.owner and t.again
      and not exists (select from last l where l.owner = t.owner and l.has_more))
  delete from owners_due o using turn t
  where o.network = $1 and o.owner = t.owner and not t.again
    and not exists (select from last l where l.owner = t.owner and l.has_more)`;

/** Reads the next credits of services with a newly verified publisher, and makes those of linked owners due. */
const markLinked = `
  with ${takeTurns('publishers_due', 'service_type, publisher')},
  next as materialized (
    select t.service_type, t.publisher, c.* from turn t cross join lateral (
      select c.ctid as row_id, c.owner from rank_credits c
      where c.network = $1 and c.subject = t.service_type and c.owner > t.after_owner
      order by c.owner limit (select size from share)) c),
  linked as materialized (
    select n.row_id from next n
    where n.owner = n.publisher
      or exists (
        select from owner_links k where k.network = $1 and k.owner = n.owner and k.address = n.publisher offset 0)
      or exists (select from ranking_payees y where y.network = $1 and y.address = n.publisher offset 0)
        and exists (
          select from owner_payments o
          where o.network = $1 and o.owner = n.owner and o.recipient = n.publisher offset 0)),
  marked as (
    update rank_credits set due = true where ctid = any (array(select row_id from linked)) and not due),
  last as (
    select service_type, publisher, max(owner) as owner, count(*) = (select size from share) as has_more from next
    group by service_type, publisher),
  moved as (
    update publishers_due p set after_owner = l.owner, turn_at = clock_timestamp() from last l
    where p.network = $1 and p.service_type = l.service_type and p.publisher = l.publisher and l.has_more)
  delete from publishers_due p using turn t
  where p.network = $1 and p.service_type = t.service_type and p.publisher = t.publisher
    and not exists (
      select from last l where l.service_type = t.service_type and l.publisher = t.publisher and l.has_more)`;

/** Queues the next owners who paid a queued payee. */
const markPayers = `
  with ${takeTurns('payees_due', 'address')},
  next as materialized (
    select t.address, o.owner from turn t cross join lateral (
      select owner from owner_payments o
      where o.network = $1 and o.recipient = t.address and o.owner > t.after_owner
      order by owner limit (select size from share)) o),
  marked as (${addDueOwners('select distinct $1, owner from next')}),
  last as (
    select address, max(owner) as owner, count(*) = (select size from share) as has_more from next group by address),
  moved as (
    update payees_due p set after_owner = l.owner, turn_at = clock_timestamp() from last l
    where p.network = $1 and p.address = l.address and l.has_more)
  delete from payees_due p using turn t
  where p.network = $1 and p.address = t.address
    and not exists (select from last l where l.address = t.address and l.has_more)`;

/** Reads the next jobs of wallets that were indexed after these jobs, and stores when the wallets were created. */
const dateJobs = `
  with ${takeTurns('wallets_due', 'wallet_id')},
  next as materialized (
    select t.wallet_id, w.created_at, j.* from turn t
    join wallets w on w.network = $1 and w.wallet_id = t.wallet_id
    cross join lateral (
      select j.provider, j.payer, ${isHire('j')} as is_hire, ${created('j')} from jobs j
      where j.network = $1 and j.wallet_id = t.wallet_id
        and (${created('j')}) > (t.after_checkpoint, t.after_tx_index, t.after_event_index)
      order by ${created('j')} limit (select size from share)) j),
  dated as (
    update rank_credits c set wallet_at = least(c.wallet_at, h.created_at), due = true
    from (
      select provider, payer, min(created_at) as created_at from next where is_hire group by provider, payer offset 0) h
    where c.network = $1 and c.subject = h.provider and c.owner = h.payer),
  last as (
    select distinct on (wallet_id) *, count(*) over (partition by wallet_id) = (select size from share) as has_more from next
    order by wallet_id, created_checkpoint desc, created_tx_index desc, created_event_index desc),
  moved as (
    update wallets_due d set after_checkpoint = l.created_checkpoint, after_tx_index = l.created_tx_index,
      after_event_index = l.created_event_index, turn_at = clock_timestamp()
    from last l where d.network = $1 and d.wallet_id = l.wallet_id and l.has_more)
  delete from wallets_due d using turn t
  where d.network = $1 and d.wallet_id = t.wallet_id
    and not exists (select from last l where l.wallet_id = t.wallet_id and l.has_more)`;

/**
 * Takes the next rows of each queue (owners, publishers, payees, wallets) and makes the credits due that depend on them.
 * Call it under the catalog's lock.
 * @param max maximum number of credits or other rows that are read for each queue
 */
export async function markDueCredits(
  client: ClientBase,
  { network }: LockedCatalog,
  max: number,
): Promise<void> {
  const values = [network, Math.min(max, markedMax)];
  await client.query({ name: 'mark-payers', text: markPayers, values });
  await client.query({ name: 'date-jobs', text: dateJobs, values });
  await client.query({ name: 'mark-owners', text: markOwners, values });
  await client.query({ name: 'mark-linked-owners', text: markLinked, values });
}

/** Returns `true` if a credit of the network is due, or one of the queues is not empty. */
export async function hasDueCredits(db: Queryable, network: string): Promise<boolean> {
  const { rows } = await db.query<{ due: boolean }>({
    name: 'has-due-credits',
    text: `select exists (select from rank_credits where network = $1 and due)
      or exists (select from owners_due where network = $1)
      or exists (select from publishers_due where network = $1)
      or exists (select from payees_due where network = $1)
      or exists (select from wallets_due where network = $1) as due`,
    values: [network],
  });
  return rows[0]!.due;
}
