import type { ClientBase } from 'pg';
import type { NewServiceEvent } from '../../lib/webhooks/service-events.ts';
import { lockUntilCommit } from '../lock.ts';

/**
 * Appends events to the log of the service in one statement, in the transaction of what they report. Call it last: until
 * the commit, other writers of the log wait, so that numbers become visible in order.
 */
export async function appendServiceEvents(
  client: ClientBase,
  events: readonly NewServiceEvent[],
): Promise<void> {
  await lockUntilCommit(client, 'service events');
  const rows = events.map(({ network, name, data: { serviceType, publisher, ...data } }) => ({
    network,
    name,
    service_type: serviceType,
    publisher,
    data,
  }));
  await client.query({
    name: 'append-service-events',
    // The clock and not the transaction's start, which may be before that of an event with a lower number.
    text: `with added as (
        insert into service_events (number, network, name, service_type, publisher, timestamp, data)
        select coalesce(last.number, 0) + event.nth, event.network, event.name, event.service_type, event.publisher,
          greatest(date_trunc('milliseconds', clock.now), last.timestamp), event.data
        from rows from (jsonb_to_recordset($1)
          as (network text, name text, service_type text, publisher text, data jsonb)) with ordinality
          as event (network, name, service_type, publisher, data, nth)
        cross join (select clock_timestamp() as now) clock
        left join (select number, timestamp from service_events order by number desc limit 1) last on true
        returning network)
      select pg_notify('service_events', network) from (select distinct network from added) networks`,
    values: [JSON.stringify(rows)],
  });
}
