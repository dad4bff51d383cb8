import { bigint, index, jsonb, pgTable, sql, text } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/**
 * Log of the service's own events. Append-only; the public id is `svc_<number>`. Numbers have no gaps and become visible
 * in order: a writer holds the lock of the log from its first number until it commits.
 */
export const serviceEvents = pgTable(
  'service_events',
  {
    number: bigint('number', { mode: 'number' }).primaryKey(),
    network: text('network').notNull(),
    /** `Quarantined`, ...: a key of `serviceEventKinds` in `lib/webhooks/service-events.ts`. */
    name: text('name').notNull(),
    /** Service type in canonical form that the event is about; null if it is about all listings of a publisher. */
    serviceType: text('service_type'),
    /** Publisher that the event is about; null if it is about a service type of any publisher. With both, it is about one listing. */
    publisher: text('publisher'),
    /** Time at which it was added. It never decreases with the number. */
    timestamp: instant('timestamp').notNull(),
    /** Further fields of the event, in camelCase. */
    data: jsonb('data').$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    index('service_events_in_order').on(table.network, table.number),
    index('service_events_of_service').on(table.network, table.serviceType, table.number),
    index('service_events_of_publishers').on(table.network, table.number).where(sql`service_type is null`),
  ],
);
