import type { FeedEvent } from '../feed-event.ts';
import type { Queryable } from '../queryable.ts';
import type { WalletKey } from './wallets.ts';

/** Maximum number of granted services whose events are read, by type. */
const servicesMax = 100;
/** Maximum number of listings of a service that are read: of publishers that were ever verified, and as many of others. */
const listingsMax = 5;
/** Maximum number of events about publishers that are compared with the granted services, the latest. */
const publisherEventsMax = 200;

/**
 * Reads the latest events of the registry and of the service about what a wallet granted to before them and still grants
 * to, the newest first. Its cost is bounded, however many grants, versions and events there are.
 */
export async function readWalletFeed(
  db: Queryable,
  { network, walletId }: WalletKey,
  limit: number,
): Promise<FeedEvent[]> {
  const { rows } = await db.query<FeedEvent>({
    name: 'read-wallet-feed',
    text: `
with granted as (
  select g.service_type, min(g.first_granted_at) as granted_at from service_grants g
  where g.network = $1 and g.wallet_id = $2
  group by g.service_type order by g.service_type limit ${servicesMax}
), versions as (
  select v.* from granted g cross join lateral (
    (select l.publisher from listings l where l.network = $1 and l.service_type = g.service_type and l.ever_verified
      order by l.registered_checkpoint, l.registered_tx_index, l.registered_event_index limit ${listingsMax})
    union all
    (select l.publisher from listings l where l.network = $1 and l.service_type = g.service_type and not l.ever_verified
      order by l.publisher limit ${listingsMax})
  ) l cross join lateral (
    select v.* from listing_versions v
    where v.network = $1 and v.service_type = g.service_type and v.publisher = l.publisher
    order by v.checkpoint desc, v.tx_index desc, v.event_index desc limit $3
  ) v
  where v.timestamp >= g.granted_at
  order by v.checkpoint desc, v.tx_index desc, v.event_index desc limit $3
), of_services as (
  select s.* from granted g cross join lateral (
    select s.* from service_events s
    where s.network = $1 and s.service_type = g.service_type
    order by s.number desc limit $3
  ) s
  where s.timestamp >= g.granted_at
), of_publishers as (
  select s.* from (
    select s.* from service_events s
    where s.network = $1 and s.service_type is null order by s.number desc limit ${publisherEventsMax}
  ) s
  where exists (
    select from granted g
    join listings l on l.network = $1 and l.service_type = g.service_type and l.publisher = s.publisher
    where s.timestamp >= g.granted_at)
)
select * from (
  select e.tx_digest || ':' || e.event_index as id, e.name, e.timestamp, v.service_type as "serviceType", v.publisher,
    e.data
  from versions v join events e using (network, checkpoint, tx_index, event_index)
  union all
  select 'svc_' || s.number, s.name, s.timestamp, s.service_type, s.publisher, s.data
  from (select * from of_services union all select * from of_publishers) s
) feed order by timestamp desc, id desc limit $3`,
    values: [network, walletId, limit],
  });
  return rows;
}
