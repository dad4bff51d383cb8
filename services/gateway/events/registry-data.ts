import { z } from 'zod';
import type { RegistryEventName, RegistryEvents } from '../../../lib/chain/events/registry.ts';

const serviceType = z.string().meta({ description: 'Service type of the listing.' });
const publisher = z.string().meta({ description: 'Publisher of the listing.' });
const version = z.int().meta({ description: 'Version of the listing.' });
const timestampMs = z.int().meta({ description: "The chain's clock, milliseconds since the epoch." });

const listing = z
  .object({
    serviceType,
    packageId: z.string().meta({ description: 'Package that the listing names.' }),
    publisher,
    manifestUri: z.string().meta({ description: 'Where the manifest is.' }),
    manifestHash: z.string().meta({ description: "Hex sha256 of the manifest's canonical JSON." }),
    version,
    timestampMs,
  })
  .meta({ id: 'ListingEventData' });

/** Fields of the registry's events, as `data` has them. Registries of other deployments leave the optional ones out. */
export const registryEventData = {
  Registered: listing,
  Updated: listing,
  Unlisted: z.object({
    serviceType,
    publisher,
    timestampMs,
    packageId: z.string().optional().meta({ description: 'Package of the version that was unlisted.' }),
    version: version.optional(),
  }),
  Attested: z.object({
    serviceType,
    attester: z.string().meta({ description: 'Address that reviewed the service.' }),
    score: z.int().meta({ description: '1 to 5.' }),
    commentUri: z.string().meta({ description: 'Where the text of the review is. Empty without one.' }),
    timestampMs,
    publisher: publisher.optional(),
    version: version.optional(),
  }),
} as const satisfies { readonly [Name in RegistryEventName]: z.ZodType<RegistryEvents[Name]> };
