import type { FeedEvent } from '../feed-event.ts';
import type { Queryable } from '../queryable.ts';

/** Maximum number of listings of an adaptor whose events are read: those of the first publishers who were ever verified. */
const listingsMax = 5;
/** Maximum number of listings of a publisher whose events are read: those that were registered last. */
const ownListingsMax = 100;
/** Maximum number of events about publishers that are searched for the followed ones: the latest. */
const publisherEventsMax = 200;

const newestFirst = (row: string) => `${row}.checkpoint desc, ${row}.tx_index desc, ${row}.event_index desc`;

/**
 * SQL for the latest events about listings, the newest first: their versions, verified reviews of those that have reviews,
 * and decisions of the operator. Its cost is bounded, however many versions and events there are.
 * Parameters: network and limit.
 * @param listings SQL for their `service_type`, `publisher` and `ever_verified`
 */
const eventsAbout = (listings: string) => `
with followed as (${listings}), versions as (
  select v.* from followed f cross join lateral (
    select v.* from listing_versions v
    where v.network = $1 and v.service_type = f.service_type and v.publisher = f.publisher
    order by ${newestFirst('v')} limit $2
  ) v
  order by ${newestFirst('v')} limit $2
), reviewed as (
  select r.* from (select distinct service_type from followed where ever_verified) f cross join lateral (
    select r.* from reviews r
    where r.network = $1 and r.service_type = f.service_type and r.verified
    order by ${newestFirst('r')} limit $2
  ) r
  order by ${newestFirst('r')} limit $2
), of_services as (
  select s.* from (select distinct service_type from followed) f cross join lateral (
    select s.* from service_events s
    where s.network = $1 and s.service_type = f.service_type
      and (s.publisher is null or exists (
        select from followed own where own.service_type = s.service_type and own.publisher = s.publisher))
    order by s.number desc limit $2
  ) s
), of_publishers as (
  select s.* from (
    select s.* from service_events s
    where s.network = $1 and s.service_type is null order by s.number desc limit ${publisherEventsMax}
  ) s
  where s.publisher in (select publisher from followed)
)
select * from (
  select e.tx_digest || ':' || e.event_index as id, e.name, e.timestamp, about.service_type as "serviceType",
    about.publisher, e.data
  from (
    select network, checkpoint, tx_index, event_index, service_type, publisher from versions
    union all
    select network, checkpoint, tx_index, event_index, service_type, null from reviewed
  ) about join events e using (network, checkpoint, tx_index, event_index)
  union all
  select 'svc_' || s.number, s.name, s.timestamp, s.service_type, s.publisher, s.data
  from (select * from of_services union all select * from of_publishers) s
) feed order by timestamp desc, id desc limit $2`;

const registeredOrder = 'l.registered_checkpoint, l.registered_tx_index, l.registered_event_index';

/**
 * Reads the latest events about an adaptor: those of the listing of a publisher, or else those of publishers that were
 * ever verified. Both leave out listings of strangers who register the service type.
 */
export async function readAdaptorFeed(
  db: Queryable,
  {
    network,
    serviceType,
    publisher,
  }: { network: string; serviceType: string; publisher?: string | undefined },
  limit: number,
): Promise<FeedEvent[]> {
  const { rows } = await db.query<FeedEvent>({
    name: 'read-adaptor-feed',
    text: eventsAbout(`
      (select l.service_type, l.publisher, l.ever_verified from listings l
        where $4::text is null and l.network = $1 and l.service_type = $3 and l.ever_verified
        order by ${registeredOrder} limit ${listingsMax})
      union all
      select l.service_type, l.publisher, l.ever_verified from listings l
        where l.network = $1 and l.service_type = $3 and l.publisher = $4`),
    values: [network, limit, serviceType, publisher ?? null],
  });
  return rows;
}

/** Reads the latest events about the listings of a publisher. */
export async function readPublisherFeed(
  db: Queryable,
  { network, publisher }: { network: string; publisher: string },
  limit: number,
): Promise<FeedEvent[]> {
  const { rows } = await db.query<FeedEvent>({
    name: 'read-publisher-feed',
    text: eventsAbout(`
      select l.service_type, l.publisher, l.ever_verified from listings l
      where l.network = $1 and l.publisher = $3
      order by ${registeredOrder.replaceAll(',', ' desc,')} desc limit ${ownListingsMax}`),
    values: [network, limit, publisher],
  });
  return rows;
}
