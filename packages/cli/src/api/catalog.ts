import { z } from 'zod';

/** The part of a catalog's entry that commands go by. */
export const catalogEntry = z.object({
  serviceType: z.string(),
  packageId: z.string(),
  publisherVerified: z.boolean(),
  manifestHash: z.string(),
  manifestUri: z.string().optional(),
  version: z.int(),
  manifest: z.looseObject({ name: z.string(), category: z.string() }),
  usage: z.object({ actions: z.int(), uniqueVaults: z.int() }),
  reviews: z.object({ count: z.int(), avg: z.number().nullable() }),
});

export const catalogAnswer = z.object({
  network: z.string(),
  adaptors: z.array(catalogEntry),
  nextCursor: z.string().optional(),
});
