import type { ClientBase } from 'pg';
import { type Queryable, toColumns } from '../queryable.ts';
import type { LockedCatalog } from './revision.ts';

/** Owners, and as many publishers, that have their turn in a transaction. Each gets ten credits or more. */
const turnsMax = 50;

/** Credits of these owners that become due in a transaction, and credits that are read for these publishers, at most. */
const markedMax = 500;

/** SQL that makes the owners of `select`, a network and an owner in each row, due wherever they count. */
export const addDueOwners = (select: string): string => `
  insert into owners_due as o (network, owner) ${select} order by owner
  on conflict (network, owner) do update set again = true where o.after_at > '-infinity' and not o.again`;

/** Makes owners due, wherever they count. Call it under the catalog's lock. */
export async function dueOwners(
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
 * Makes the owners due that newly verified publishers are linked to, and those that paid them as payees: no other owner
 * changes with a publisher. Call it under the catalog's lock.
 * @param listings each at most once in the history, or a publisher could repeat this for nothing
 */
export async function dueLinkedOwners(
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

/** SQL for those whose turn it is, and the number of credits that each of them has. */
const takeTurns = (table: string, key: string) => `
  turn as materialized (select * from ${table} where network = $1 order by turn_at, ${key} limit least($2::bigint, ${turnsMax})),
  share as materialized (select $2::bigint / greatest(1, count(*)) as size from turn)`;

/**
 * Makes the next credits of owners due. A credit that changes meanwhile is due by itself, so it may change its place in
 * the order.
 */
const markOwners = `
  with ${takeTurns('owners_due', 'owner')},
  next as materialized (
    select c.* from turn t cross join lateral (
      select c.ctid as place, c.owner, c.subject, c.is_agent, c.first_use_at from rank_credits c
      where c.network = $1 and c.owner = t.owner
        and (c.is_agent, c.first_use_at, c.subject) > (t.after_agent, t.after_at, t.after_subject)
      order by c.is_agent, c.first_use_at, c.subject limit (select size from share)) c),
  marked as (
    -- By place: the planner cannot know how many they are, and would read all credits for some. The lock keeps places.
    update rank_credits set due = true where ctid = any (array(select place from next)) and not due),
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

/** Reads the next credits of services with newly verified publishers, and makes those of linked owners due. */
const markLinked = `
  with ${takeTurns('publishers_due', 'service_type, publisher')},
  next as materialized (
    select t.service_type, t.publisher, c.* from turn t cross join lateral (
      select c.ctid as place, c.owner from rank_credits c
      where c.network = $1 and c.subject = t.service_type and c.owner > t.after_owner
      order by c.owner limit (select size from share)) c),
  linked as materialized (
    select n.place from next n
    where n.owner = n.publisher
      or exists (
        select from owner_links k where k.network = $1 and k.owner = n.owner and k.address = n.publisher offset 0)
      or exists (select from ranking_payees y where y.network = $1 and y.address = n.publisher offset 0)
        and exists (
          select from owner_payments o
          where o.network = $1 and o.owner = n.owner and o.recipient = n.publisher offset 0)),
  marked as (
    update rank_credits set due = true where ctid = any (array(select place from linked)) and not due),
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

/**
 * Makes the next credits of owners due that are due wherever they count, or linked to newly verified publishers. Call it
 * under the catalog's lock.
 * @param max credits that become due, and credits that are read for publishers, at most
 */
export async function markDueCredits(
  client: ClientBase,
  { network }: LockedCatalog,
  max: number,
): Promise<void> {
  const values = [network, Math.min(max, markedMax)];
  await client.query({ name: 'mark-owners', text: markOwners, values });
  await client.query({ name: 'mark-linked-owners', text: markLinked, values });
}

/** Returns `true` if an owner or a credit of the network is due. */
export async function hasDueOwners(db: Queryable, network: string): Promise<boolean> {
  const { rows } = await db.query<{ due: boolean }>({
    name: 'has-due-owners',
    text: `select exists (select from rank_credits where network = $1 and due)
      or exists (select from owners_due where network = $1)
      or exists (select from publishers_due where network = $1) as due`,
    values: [network],
  });
  return rows[0]!.due;
}
