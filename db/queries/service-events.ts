import type { ClientBase } from 'pg';
import type { NewServiceEvent } from '../../lib/webhooks/service-events.ts';
import { lockUntilCommit } from '../lock.ts';

/**
 * Adds an event to the log of the service, in the transaction of what it reports. Call it last: until the commit, other
 * writers of the log wait, so that numbers become visible in order.
 */
export async function addServiceEvent(
  client: ClientBase,
  { network, name, data: { serviceType, publisher, ...data } }: NewServiceEvent,
): Promise<void> {
  await lockUntilCommit(client, 'service events');
  await client.query({
    name: 'add-service-event',
    // The clock and not the transaction's start, which may be before that of an event with a lower number.
    text: `with added as (
        insert into service_events (number, network, name, service_type, publisher, timestamp, data)
        select coalesce(max(number), 0) + 1, $1, $2, $3, $4,
          greatest(date_trunc('milliseconds', clock_timestamp()), max(timestamp)), $5
        from (select number, timestamp from service_events order by number desc limit 1) last
        returning network)
      select pg_notify('service_events', network) from added`,
    values: [network, name, serviceType, publisher, data],
  });
}
