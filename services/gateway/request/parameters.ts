import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { type Network, networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { networkNotServed } from '../../../lib/http/problem.ts';

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

/**
 * The network that a request is about.
 * @throws ProblemError 400 for one that this host does not index: an empty catalog would be a false answer, and the
 *   same request does not succeed later
 */
export type NetworkChoice = (requested: Network | undefined) => Network;

export function networkChoice(served: readonly Network[], defaultNetwork: Network): NetworkChoice {
  return (requested = defaultNetwork) => {
    if (served.includes(requested)) return requested;
    throw networkNotServed('This host', requested, served);
  };
}
