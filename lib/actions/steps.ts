import { normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import { moveIdentifier, witnessType } from '@adaptor-marketplace/adaptor/manifest';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';

export const u64Max = 2n ** 64n - 1n;

const digits = (min: 0 | 1) =>
  z
    .string()
    .regex(min === 0 ? /^(0|[1-9]\d{0,19})$/ : /^[1-9]\d{0,19}$/, {
      error: `expected decimal digits of a whole number from ${min} to 2^64 - 1`,
      abort: true,
    })
    .refine((text) => BigInt(text) <= u64Max, `expected a whole number from ${min} to 2^64 - 1`);

export const amount = digits(1).meta({
  id: 'BaseUnits',
  description: 'Base units, 1 to 2^64 - 1, in decimal digits.',
});

/** A minimum amount, as decimal digits: 0 to 2^64 - 1 base units. */
export const least = digits(0);

export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected 0x and up to 64 hex digits')
  .transform((text) => normalizeAddress(text) ?? text);

const typeLengthMax = 512;

/** The Move type of a coin, normalized to the form with long addresses. */
export const coinType = z
  .string()
  .min(1)
  .max(typeLengthMax)
  .refine((text) => !text.includes('@') && isValidStructTag(text), {
    error: 'expected the Move type of a coin, such as 0x2::sui::SUI',
    abort: true,
  })
  .transform((text) => normalizeStructTag(text))
  // The normalized type has the same limit, because the services that receive it apply this schema again.
  .refine(
    (type) => type.length <= typeLengthMax,
    `a type may have ${typeLengthMax} characters, addresses in full`,
  )
  .meta({ id: 'CoinType', description: 'The Move type of a coin, such as `0x2::sui::SUI`.' });

/** Index of a price tick. Some contracts use signed indexes, others count from 0. */
export const tick = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1);

export const liquidity = z
  .string()
  .regex(/^[1-9]\d{0,38}$/, {
    error: 'expected decimal digits of a whole number from 1 to 2^128 - 1',
    abort: true,
  })
  .refine((text) => BigInt(text) < 2n ** 128n, 'expected a whole number from 1 to 2^128 - 1');

/** Name of an asset that a wallet holds for a service. */
export const positionName = z
  .string()
  .min(1)
  .max(128)
  .refine(
    (name) => Buffer.byteLength(name) <= 128 && !name.includes('\0'),
    'expected 1 to 128 bytes, none of them zero',
  )
  .meta({ id: 'PositionName', description: 'The name under which the wallet keeps the position.' });

export const serviceType = witnessType.transform((text) => {
  const parsed = parseServiceType(text);
  return 'canonical' in parsed ? parsed.canonical : text;
});

export const minOut = least
  .meta({ id: 'LeastOut', description: 'The least that must come back, in base units; absent or 0: 1.' })
  .optional();
export const adaptor = serviceType
  .meta({
    id: 'AdaptorChoice',
    description: "Service type of a listed adaptor to use in place of the slot's.",
  })
  .optional();

export const spend = z.strictObject({
  action: z.literal('spend').optional().default('spend'),
  coinType,
  amount,
  recipient: address.meta({ description: 'Who is paid.' }),
  capId: address.optional().meta({
    description: "The agent's cap to spend by; absent: any of its caps that the wallet's policy accepts.",
  }),
});

/** Maximum coins that the lock of a wallet can bound, outgoing and incoming coins together. */
const boundCoinsMax = 8;

export const coinBound = z
  .strictObject({ coinType, amount })
  .meta({ id: 'CoinBound', description: 'A bound on one coin.' });

export const coinBoundOrZero = z
  .strictObject({ coinType, amount: least })
  .meta({ id: 'CoinBoundOrZero', description: 'A bound on one coin, which can be 0.' });
const bounded = (description: string) =>
  z
    .array(coinBound)
    .max(boundCoinsMax)
    .refine(
      (coins) => new Set(coins.map((one) => one.coinType)).size === coins.length,
      'expected each coin once',
    )
    .meta({ description });

export function isFunctionPath(text: string): boolean {
  const parts = text.split('::');
  return parts.length === 2 && parts.every((part) => moveIdentifier.safeParse(part).success);
}

/** Text that PostgreSQL can store: no U+0000, and no half of a surrogate pair. */
const text = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[^\0\p{Cs}]*$/u, 'expected whole characters, none of them zero');
const plainValue = z.union([text(0, 4096), z.number(), z.boolean(), z.null()]);
const plainValues = z.array(plainValue).max(256);
const callValue = z
  .union([plainValue, plainValues, z.array(plainValues).max(256)])
  .meta({ id: 'CallValue', description: 'A value, a list of values, or a list of such lists.' });
const valuesMax = 64;

export const call = z.strictObject({
  action: z.literal('call'),
  adaptor: serviceType.meta({ description: 'Service type of a listed adaptor.' }),
  op: z
    .string()
    .max(2 * 128 + 2)
    .refine(isFunctionPath, 'expected module::entry')
    .meta({ description: '`module::entry` of an op of its manifest.' }),
  spends: bounded('The most that leaves the wallet of each coin; none: no coin leaves.'),
  receivesAtLeast: bounded('The least that enters of each coin; none: nothing must.'),
  amount: least.optional().meta({ description: 'Absent: that of the only coin in `spends`.' }),
  minOut: least.optional().meta({ description: 'Absent: that of the only coin in `receivesAtLeast`.' }),
  coinIn: coinType.optional().meta({ description: "Absent: that of the op's objects, or of `spends`." }),
  coinOut: coinType.optional().meta({ description: 'The same of `receivesAtLeast`.' }),
  values: z
    .record(text(1, 64), callValue)
    .refine((values) => Object.keys(values).length <= valuesMax, `expected at most ${valuesMax} values`)
    .optional()
    .meta({ description: "Other arguments, by the manifest's names." }),
  objectId: address.optional().meta({ description: 'A fixed object of the op, where several ops fit.' }),
});

export const requireFewCoins = (
  { spends, receivesAtLeast }: Pick<z.infer<typeof call>, 'spends' | 'receivesAtLeast'>,
  context: z.RefinementCtx,
): void => {
  const coins = new Set([...spends, ...receivesAtLeast].map((one) => one.coinType));
  if (coins.size <= boundCoinsMax) return;
  const message = `expected at most ${boundCoinsMax} coins, those of spends among them`;
  context.addIssue({ code: 'custom', path: ['receivesAtLeast'], message });
};
