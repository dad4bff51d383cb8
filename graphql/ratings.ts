import { type RatingDay, readRatingDays } from '../db/queries/catalog/rating-days.ts';
import { builder } from './builder.ts';
import { batched } from './connections.ts';
import { countDays, daysArg, readDays, usedInterface } from './usage.ts';

const ratingDayType = builder.objectRef<RatingDay>('RatingDay').implement({
  description: 'Ratings that a service got on one day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', description: 'The day, in UTC.' }),
    count: t.exposeInt('count', { description: 'Attestations of the day.' }),
    avg: t.exposeFloat('avg', { description: 'Their average, 1 to 5.' }),
  }),
});

const loadDays = batched(readRatingDays);

builder.interfaceField(usedInterface, 'ratingsByDay', (t) =>
  t.field({
    type: [ratingDayType],
    description:
      'Ratings of the service by day: the days with ratings, the oldest first. A later rating by the same address counts on its own day too.',
    complexity: (args) => ({ field: 1, multiplier: countDays(args) }),
    extensions: { statement: 'ratings by day' },
    args: daysArg,
    resolve({ network, serviceType, publisherEverVerified }, args, context) {
      const days = readDays(args);
      return publisherEverVerified ? loadDays(context, { network, serviceType, days }) : [];
    },
  }),
);
