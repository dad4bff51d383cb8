import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readCanaries } from '../../../db/queries/canaries/reads.ts';
import { canaryStates } from '../../../lib/canaries/judge.ts';
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

const amount = z.string().regex(/^-?\d+$/);
const outcomeSchema = z
  .object({
    amount: amount
      .nullable()
      .meta({ description: 'Amount that the call was given, in base units. Null if the op takes none.' }),
    failure: z.string().nullable().meta({
      description:
        'Name of the abort, such as `EPaused`, or kind of the failure. Null if the call worked. Names come from bytecode.',
    }),
    gas: amount.meta({ description: 'MIST that an execution would cost.' }),
    coinIn: z
      .string()
      .nullable()
      .meta({ description: 'Coin that the call took, or would have taken. Null if it took none.' }),
    coinOut: z.string().nullable().meta({ description: 'Coin that it brought. Null if it brought none.' }),
    taken: amount.meta({ description: 'Left the wallet, in base units.' }),
    brought: amount.meta({ description: 'Came into the wallet, in base units.' }),
  })
  .meta({ id: 'CanaryOutcome', description: 'Result of one simulated call.' });

const timeMs = z.int().min(0);
const opSchema = z
  .object({
    op: z.string().meta({
      description: '`module::function`, with `#2` behind it for the second op of that function.',
    }),
    position: z.int().min(0).meta({ description: 'Position in `manifest.ops`.' }),
    state: z.enum(canaryStates).meta({
      description:
        '`degraded`: it fails for some amounts. `unproven`: it never worked in a simulation, which says nothing against it. An amount fails if two of its last three simulations failed.',
    }),
    sinceMs: timeMs.meta({ description: 'Time since which it has the state.' }),
    triedAtMs: timeMs.nullable().meta({ description: 'Time of its last simulation. Null if there is none.' }),
    untried: z.string().nullable().meta({
      description: 'The reason why it was not simulated the last time. Null if it was.',
    }),
    runs: z
      .array(
        z.object({
          at: timeMs,
          checkpoint: z.int().min(0).nullable().meta({ description: 'Newest that the node had named.' }),
          version: z.int().min(0).meta({ description: 'Version of the listing.' }),
          outcomes: z.array(outcomeSchema).meta({ description: 'One for each amount, the smallest first.' }),
        }),
      )
      .meta({ description: 'The last three, the newest last.' }),
    days: z
      .array(
        z.object({
          day: z.iso.date().meta({ description: 'In UTC.' }),
          worked: z.int().min(0).meta({ description: 'Simulated calls that worked.' }),
          failed: z.int().min(0).meta({ description: 'Simulated calls that failed.' }),
        }),
      )
      .meta({ description: 'The days with simulations, the oldest first. They stay for 90 days.' }),
  })
  .meta({ id: 'CanaryOp', description: 'An operation, as its simulations show it.' });

const canariesBody = z
  .object({
    network: z.enum(networks),
    serviceType: z.string(),
    publisher: z.string(),
    ranAtMs: timeMs.nullable().meta({
      description:
        'Time of the last simulations. Null before the first, and for a listing that is not simulated.',
    }),
    ops: z.array(opSchema).meta({ description: 'In the order of the manifest. At most 32.' }),
  })
  .meta({ id: 'ListingCanaries' });

const notSimulated = { ranAtMs: null, ops: [] };

/** The operations of a listing that work in simulations. */
export const getCanaries = route({
  method: 'get',
  path: '/api/adaptors/:serviceType/canaries',
  parameters,
  cacheControl,
  query: listingDaysQuery,
  operation: {
    operationId: 'getAdaptorCanaries',
    tag: 'catalog',
    summary: 'Read which operations work now',
    response: { description: 'The operations.', schema: canariesBody, headers: indexedHeader },
    conditional: true,
    refusals,
    example: {
      query: { days: '90' },
      answer: {
        network: 'testnet',
        serviceType,
        publisher,
        ranAtMs: 1_769_860_800_000,
        ops: [
          {
            op: 'adaptor::ping',
            position: 0,
            state: 'up',
            sinceMs: 1_769_774_400_000,
            triedAtMs: 1_769_860_800_000,
            untried: null,
            runs: [
              {
                at: 1_769_860_800_000,
                checkpoint: 1_234,
                version: 1,
                outcomes: [
                  {
                    amount: '10000000',
                    failure: null,
                    gas: '1976000',
                    coinIn: '0x2::sui::SUI',
                    taken: '10000000',
                    coinOut: null,
                    brought: '0',
                  },
                ],
              },
            ],
            days: [{ day: '2026-01-31', worked: 143, failed: 1 }],
          },
        ],
      },
    },
  },
  async handler(request, dependencies: CatalogDependencies) {
    const { db, network, listing } = await findListing(request, dependencies);
    const { serviceType, publisher } = listing;
    const { days = daysDefault } = request.query;
    const [canary] = await readCanaries(db, [{ network, serviceType, publisher, days }]);
    return { network, serviceType, publisher, ...(canary ?? notSimulated) };
  },
});
