import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readCoins } from '../../../db/queries/coins.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { coinsOfDayMax, readUsageDays, type UsageDay } from '../../../db/queries/usage.ts';
import { route } from '../../../lib/http/route.ts';
import { indexedHeader, publisher, serviceType } from '../openapi/parts.ts';
import {
  cacheControl,
  daysDefault,
  findListing,
  listingDaysQuery,
  parameters,
  refusals,
} from './find-listing.ts';
import type { CatalogDependencies } from './route.ts';

const exampleDay = {
  day: '2026-01-31',
  actions: 3,
  wallets: 2,
  coins: [
    { coin: '0x2::sui::SUI', symbol: 'SUI', decimals: 9, actions: 3, taken: '1500000000', brought: '0' },
  ],
};

const amount = z.string().regex(/^\d+$/);
const usageBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'In UTC.' }),
          actions: z.int().min(1),
          wallets: z.int().min(1).meta({ description: 'Distinct wallets of the day.' }),
          coins: z
            .array(
              z.object({
                coin: z.string(),
                symbol: z.string().nullable().meta({ description: 'Null while unknown.' }),
                decimals: z.int().min(0).max(255).nullable(),
                actions: z.int().min(1).meta({ description: 'Actions that moved the coin.' }),
                taken: amount.meta({ description: 'Left the wallets, in base units.' }),
                brought: amount.meta({ description: 'Came into the wallets, in base units.' }),
              }),
            )
            .meta({
              description: `Coins that were moved, those of most actions first; at most ${coinsOfDayMax}.`,
            }),
        }),
      )
      .meta({ description: 'The days with use, the oldest first.' }),
  })
  .meta({ id: 'ListingUsage' });

/** Adds symbol and decimals to each coin. */
async function withUnits(db: Queryable, network: string, days: readonly UsageDay[]) {
  const moved = new Set(days.flatMap(({ coins }) => coins.map(({ coin }) => coin)));
  const keys = [...moved].map((coinType) => ({ network, coinType }));
  const known = keys.length > 0 ? await readCoins(db, keys) : [];
  const units = new Map(known.map((coin) => [coin?.coinType, coin]));
  return days.map(({ coins, ...day }) => ({
    ...day,
    coins: coins.map(({ coin, ...amounts }) => {
      const { symbol = null, decimals = null } = units.get(coin) ?? {};
      return { coin, symbol, decimals, ...amounts };
    }),
  }));
}

/** Usage is counted by service: the same for each publisher that is or was verified, and none for the others. */
export const getUsage = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/usage',
  parameters,
  cacheControl,
  query: listingDaysQuery,
  operation: {
    operationId: 'getAdaptorUsage',
    tag: 'catalog',
    summary: 'Read the use of a listing by day and coin',
    response: { description: 'The days with use.', schema: usageBody, headers: indexedHeader },
    conditional: true,
    refusals,
    example: {
      query: { days: '30' },
      answer: { network: 'testnet', serviceType, publisher, days: [exampleDay] },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const { db, network, listing } = await findListing(request, dependencies);
    const { serviceType, publisher } = listing;
    const { days: length = daysDefault } = request.query;
    const keys = listing.publisherEverVerified ? [{ network, serviceType, days: length }] : [];
    const [days = []] = await readUsageDays(db, keys);
    return {
      network,
      serviceType,
      publisher,
      days: await withUnits(db, network, days),
    };
  },
});
