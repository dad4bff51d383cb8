import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { witnessType } from '@adaptor-marketplace/adaptor/manifest';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';

const u64Max = 2n ** 64n - 1n;

const digits = (min: 0 | 1) =>
  z
    .string()
    .regex(min === 0 ? /^(0|[1-9]\d{0,19})$/ : /^[1-9]\d{0,19}$/, {
      error: `expected decimal digits of a whole number from ${min} to 2^64 - 1`,
      abort: true,
    })
    .refine((text) => BigInt(text) <= u64Max, `expected a whole number from ${min} to 2^64 - 1`);

/** An amount to move, as decimal digits: 1 to 2^64 - 1 base units. */
export const amount = digits(1).meta({ description: 'Base units, 1 to 2^64 - 1, in decimal digits.' });

/** A least amount, as decimal digits: 0 to 2^64 - 1 base units. */
export const least = digits(0);

/** An address or object id, brought into the long form. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected 0x and up to 64 hex digits')
  .transform((text) => normalizeAddress(text) ?? text);

const typeLengthMax = 512;

/** The Move type of a coin, such as `0x2::sui::SUI`, brought into the form with long addresses. */
export const coinType = z
  .string()
  .min(1)
  .max(typeLengthMax)
  .refine((text) => !text.includes('@') && isValidStructTag(text), {
    error: 'expected the Move type of a coin, such as 0x2::sui::SUI',
    abort: true,
  })
  .transform((text) => normalizeStructTag(text))
  // In full as well: what was taken here is taken by whom it is handed on to.
  .refine(
    (type) => type.length <= typeLengthMax,
    `a type may have ${typeLengthMax} characters, addresses in full`,
  );

/** A price tick's place; a contract may count from 0 or from below it. */
export const tick = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1);

/** Liquidity of a position, as decimal digits: 1 to 2^128 - 1. */
export const liquidity = z
  .string()
  .regex(/^[1-9]\d{0,38}$/, {
    error: 'expected decimal digits of a whole number from 1 to 2^128 - 1',
    abort: true,
  })
  .refine((text) => BigInt(text) < 2n ** 128n, 'expected a whole number from 1 to 2^128 - 1');

/** The name of an asset that a wallet keeps for a service. */
export const assetName = z
  .string()
  .min(1)
  .max(128)
  .refine(
    (name) => Buffer.byteLength(name) <= 128 && !name.includes('\0'),
    'expected 1 to 128 bytes, none of them zero',
  );

/** A service type, brought into its canonical form. */
export const serviceType = witnessType.transform((text) => {
  const parsed = parseServiceType(text);
  return 'canonical' in parsed ? parsed.canonical : text;
});
