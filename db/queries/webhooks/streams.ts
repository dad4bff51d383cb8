import type { Network } from '@adaptor-marketplace/adaptor';

/** A sequence of a network's events in which each subscription has a position. */
export interface Stream {
  /** The column `stream`: `testnet`, or `testnet.service`. */
  key: string;
  network: Network;
  log: 'registry' | 'service';
}

const serviceSuffix = '.service';

/** Returns the streams of a network: events of the registry, and events of the service about it. */
export const listStreams = (network: Network): [registry: Stream, service: Stream] => [
  { key: network, network, log: 'registry' },
  { key: network + serviceSuffix, network, log: 'service' },
];

/** SQL for the network of a stream. */
export const buildNetworkSql = (stream: string): string => `split_part(${stream}, '.', 1)`;

const serviceData = `jsonb_build_object('serviceType', s.service_type, 'publisher', s.publisher) || s.data`;

/** SQL condition: the row belongs to event `e`. */
const isOfEvent = (row: string) => `${row}.network = e.network and ${row}.checkpoint = e.checkpoint
    and ${row}.tx_index = e.tx_index and ${row}.event_index = e.event_index`;

/**
 * `from` items with the events of each log, of all networks, with equal columns. `service_type` and `publisher` are what
 * an event is about: a service type in canonical form of any publisher, all listings of a publisher, or with both one
 * listing.
 */
export const eventRows: Readonly<Record<Stream['log'], string>> = {
  registry: `(
    select e.network, e.network as stream, e.checkpoint, e.tx_index, e.event_index,
      e.tx_digest || ':' || e.event_index as event_id, e.name, e.timestamp, e.data,
      coalesce((select v.service_type from listing_versions v where ${isOfEvent('v')}),
        (select a.service_type from attestations a where ${isOfEvent('a')})) as service_type,
      (select v.publisher from listing_versions v where ${isOfEvent('v')}) as publisher
    from events e where e.source = 'registry')`,
  service: `(
    select s.network, s.network || '${serviceSuffix}' as stream, s.number as checkpoint, 0 as tx_index, 0 as event_index,
      'svc_' || s.number as event_id, s.name, s.timestamp,
      ${serviceData} as data,
      s.service_type, s.publisher
    from service_events s)`,
};

/** Joins the event of the delivery in row `d`, as row `e` of the registry or `s` of the service; neither for a test event. */
export const joinEvent = `
  left join events e on e.network = d.stream and e.checkpoint = d.checkpoint and e.tx_index = d.tx_index
    and e.event_index = d.event_index
  left join service_events s on s.number = d.checkpoint and s.network || '${serviceSuffix}' = d.stream`;

/** Columns of the event that `joinEvent` joins, as SQL. */
export const joined = {
  id: `coalesce(e.tx_digest || ':' || e.event_index, 'svc_' || s.number)`,
  data: `case when s.number is not null then ${serviceData} else e.data end`,
  timestamp: 'coalesce(e.timestamp, s.timestamp)',
};

/**
 * SQL condition: the event of row `e` is about a service that a wallet granted to before it, and still grants to.
 * @param wallet SQL for the id of the wallet
 */
const concernsWallet = (e: string, wallet: string): string => `(
  exists (select from service_grants g where g.network = ${e}.network and g.wallet_id = ${wallet}
    and g.service_type = ${e}.service_type and g.first_granted_at <= ${e}.timestamp)
  or ${e}.service_type is null and exists (
    select from service_grants g
    join listings l on l.network = g.network and l.service_type = g.service_type and l.publisher = ${e}.publisher
    where g.network = ${e}.network and g.wallet_id = ${wallet} and g.first_granted_at <= ${e}.timestamp))`;

/** Subjects of the events of a subscription. Null: any. */
export interface About {
  /** A wallet that grants to the service of the event. */
  wallet: string | null;
  serviceType: string | null;
  /** A publisher of the listing, or of a listing of the service type. */
  publisher: string | null;
}

/**
 * SQL condition: the event of row `e` is about what a subscription asks for.
 * @param about SQL for each value, which may be null
 */
export function buildConcernsSql(
  e: string,
  { wallet, serviceType, publisher }: Record<keyof About, string>,
): string {
  const lists = (service: string, publisher: string) =>
    `exists (select from listings l
      where l.network = ${e}.network and l.service_type = ${service} and l.publisher = ${publisher})`;
  return `(
    (${wallet}::text is null or ${concernsWallet(e, wallet)})
    and (${serviceType}::text is null or ${e}.service_type = ${serviceType}
      or ${e}.service_type is null and ${lists(serviceType, `${e}.publisher`)})
    and (${publisher}::text is null or ${e}.publisher = ${publisher}
      or ${e}.publisher is null and ${lists(`${e}.service_type`, publisher)}))`;
}
