import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';

/** Parameters that several paths take. */
export const networkParameter = z
  .enum(networks)
  .optional()
  .meta({ description: 'Defaults to the network that the host has set, normally testnet.' });

/** An address or object id, brought into the long form. */
export const addressParameter = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected 0x and up to 64 hex digits')
  .transform((text) => normalizeAddress(text) ?? text);

export const limitMax = 500;

export const limitParameter = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, `expected a whole number from 1 to ${limitMax}`)
  .transform(Number)
  .pipe(z.int().max(limitMax))
  .optional()
  .meta({
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: limitMax });
    },
  });

export const cursorParameter = z
  .string()
  .min(1)
  .max(2048)
  .optional()
  .meta({ description: '`nextCursor` of the page before, with the same other parameters.' });
