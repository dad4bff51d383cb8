import { bigint, date, integer, pgTable, primaryKey, text } from '../orm/drizzle.ts';

/** Attestations of each service by the day (UTC), added up from `attestations`. */
export const serviceRatingDays = pgTable(
  'service_rating_days',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    ratings: integer('ratings').notNull(),
    scoreSum: bigint('score_sum', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType, table.day] })],
);
