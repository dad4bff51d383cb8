import type { ClientBase } from 'pg';
import { nameColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { eventPosition } from '../queryable.ts';
import { buildInsertTextsSql } from '../review-texts.ts';
import { endOfChain, type TransactionPosition } from '../sources.ts';
import { listColumns } from './columns.ts';
import { reviewTotals } from './counts.ts';
import { refreshRanks } from './ranks.ts';
import { advanceCatalog, type LockedCatalog } from './revision.ts';

/**
 * SQL that adds changes of reviews to those of their services, where they count, and copies the sums into the entries.
 * `changes` has signs, scores and positions.
 */
const addReviews = `,
  totals as (
    update service_reviews t set review_count = t.review_count + s.reviews, score_sum = t.score_sum + s.score,
      verified_count = t.verified_count + s.verified, verified_sum = t.verified_sum + s.verified_score,
      last_review_at = greatest(t.last_review_at, s.last_review_at)
    from (
      select c.service_type, sum(c.sign) as reviews, sum(c.sign * c.score) as score,
        coalesce(sum(c.sign) filter (where c.verified), 0) as verified,
        coalesce(sum(c.sign * c.score) filter (where c.verified), 0) as verified_score,
        max(c."timestamp") as last_review_at
      from changes c join service_reviews k on k.network = $1 and k.service_type = c.service_type
      where (c.checkpoint, c.tx_index, c.event_index) > (k.since_checkpoint, k.since_tx_index, k.since_event_index)
      group by c.service_type) s
    where t.network = $1 and t.service_type = s.service_type
    returning t.*)
  update catalog_entries e set ${reviewTotals.map((total) => `${total} = t.${total}`).join(', ')}, revision = $3
  from totals t
  where e.network = $1 and e.service_type = t.service_type and e.ever_verified`;

const reviewed = [...eventPosition, 'score', 'commentUri', 'timestamp', 'verified'] as const;
const reviewContent = nameColumns(tables.reviews, reviewed).split(', ');

/** Columns of a review that `addReviews` needs. */
const countedColumns = (row: string) =>
  listColumns(row, [
    'service_type',
    'checkpoint',
    'tx_index',
    'event_index',
    'score',
    'timestamp',
    'verified',
  ]);

/**
 * Stores the attestations at or after checkpoint `from`, and before `before`, as reviews. Each replaces its attester's
 * former one. The cost depends on these attestations, not on the number that the service has.
 */
export async function foldReviews(
  client: ClientBase,
  catalog: LockedCatalog,
  from: number,
  before = endOfChain,
): Promise<void> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new event. Under the
  // catalog's lock no other process adds a review, so `on conflict` is not needed, which costs half as much again.
  // Reviews are inserted in the order of their keys: in that of a hash join, each row of a long history touches other
  // pages of every index. A condition `not c.due` would make a planner whose statistics are older than these credits expect
  // none, and read all attestations again for each.
  const { rowCount } = await client.query(
    `with latest as (
        select distinct on (a.service_type, a.attester) a.*
        from attestations a where a.network = $1 and a.checkpoint >= $2 and a.checkpoint < $4
        order by a.service_type, a.attester, a.checkpoint desc, a.tx_index desc, a.event_index desc),
      known as (
        select l.*, s.actor is not null as verified, r.attester is null as is_first
        from latest l
        left join service_actors s
          on s.network = $1 and s.service_type = l.service_type and s.actor = l.attester
          and (s.checkpoint, s.tx_index, s.event_index) < (l.checkpoint, l.tx_index, l.event_index)
        left join reviews r on r.network = $1 and r.service_type = l.service_type and r.attester = l.attester
        where r.attester is null
          or (r.checkpoint, r.tx_index, r.event_index) < (l.checkpoint, l.tx_index, l.event_index)),
      former as (
        select ${countedColumns('r')} from known k
        join reviews r on r.network = $1 and r.service_type = k.service_type and r.attester = k.attester
        where not k.is_first),
      added as (
        insert into reviews (network, service_type, attester, ${reviewContent.join(', ')})
        select $1, service_type, attester, ${reviewContent.join(', ')} from known where is_first
        order by service_type, attester
        returning ${countedColumns('reviews')}),
      replaced as (
        update reviews r set ${reviewContent.map((column) => `${column} = k.${column}`).join(', ')}
        from known k
        where not k.is_first and r.network = $1 and r.service_type = k.service_type and r.attester = k.attester
        returning ${countedColumns('r')}),
      texts as (${buildInsertTextsSql('known')}),
      reweighed as (
        update rank_credits c set due = true from latest l
        where c.network = $1 and c.subject = l.service_type and c.owner = l.attester),
      changes as (
        select 1 as sign, * from added
        union all select 1, * from replaced
        union all select -1, * from former)${addReviews}`,
    [catalog.network, from, catalog.revision, before],
  );
  if (rowCount) await advanceCatalog(client, catalog);
  await refreshRanks(client, catalog);
}

/**
 * Stores the first actions of actors with services at or after `from`, and before checkpoint `before`, and verifies the
 * reviews that the actors wrote after them. Call it under the catalog's lock: a review and its author's first action
 * come in two transactions, of which the later one must see the other.
 */
export async function addActors(
  client: ClientBase,
  catalog: LockedCatalog,
  from: TransactionPosition,
  before = endOfChain,
): Promise<void> {
  // Not a named statement, and no `on conflict`, as above.
  const { rowCount } = await client.query(
    `with added as (
        insert into service_actors (network, service_type, actor, checkpoint, tx_index, event_index)
        select $1, first.* from (
          select distinct on (a.service_type, actor) a.service_type, actor, a.checkpoint, a.tx_index, a.event_index
          from service_actions a cross join unnest(a.actors) actor
          where a.network = $1 and (a.checkpoint, a.tx_index) >= ($2::bigint, $4::int) and a.checkpoint < $5
          order by a.service_type, actor, a.checkpoint, a.tx_index, a.event_index) first
        where not exists (
          select from service_actors s
          where s.network = $1 and s.service_type = first.service_type and s.actor = first.actor)
        order by service_type, actor
        returning *),
      changed as (
        update reviews r set verified = true from added s
        where r.network = $1 and r.service_type = s.service_type and r.attester = s.actor
          and (s.checkpoint, s.tx_index, s.event_index) < (r.checkpoint, r.tx_index, r.event_index)
        returning r.*),
      changes as (
        select v.sign, v.verified, c.service_type, c.checkpoint, c.tx_index, c.event_index, c.score, c."timestamp"
        from changed c cross join (values (1, true), (-1, false)) v (sign, verified))${addReviews}`,
    [catalog.network, from.checkpoint, catalog.revision, from.txIndex, before],
  );
  if (rowCount) await advanceCatalog(client, catalog);
}
