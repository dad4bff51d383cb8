import { z } from 'zod';

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters');

const ratePerMin = z
  .int()
  .min(1)
  .max(1_000_000)
  .meta({ description: "The key's own limit, requests a minute." });
const integrator = text(64).meta({ description: 'Whom listings and usage are attributed to.' });
const label = text(200).meta({ description: 'What the host calls the key.' });

/** Body of `POST /api/adaptors/keys`. */
export const issueKeyRequest = z.strictObject({ integrator, ratePerMin, label: label.optional() });

const keyFields = {
  id: z.string().meta({ description: 'By which the key is revoked; no secret.' }),
  integrator,
  ratePerMin,
  label: label.optional(),
  createdMs: z.int().meta({ description: 'Milliseconds since the epoch.' }),
};

/** Answer of `POST /api/adaptors/keys`. */
export const issuedKeyBody = z
  .object({
    key: z.string().meta({ description: 'The key itself: shown here and never again.' }),
    ...keyFields,
  })
  .meta({ id: 'IssuedKey' });

/** Answer of `GET /api/adaptors/keys`. */
export const keysBody = z
  .object({ count: z.int().min(0), keys: z.array(z.object(keyFields)) })
  .meta({ id: 'Keys', description: 'Oldest first.' });
