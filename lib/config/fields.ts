import { isIP } from 'node:net';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';

export const objectId = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/, 'expected an object id: 0x and up to 64 hex digits')
  .transform((id) => `0x${id.slice(2).toLowerCase().padStart(64, '0')}`);
/** Addresses, separated by commas; at least one. */
export const addressList = z
  .string()
  .transform((text) => text.split(',').map((address) => address.trim()))
  .pipe(z.array(objectId))
  .transform((addresses) => addresses.join(','));
export const url = z
  .url({ protocol: /^https?$/, error: 'expected an http(s) url' })
  .transform((u) => u.replace(/\/+$/, ''));
/** A url to which the name of a file can be appended. */
export const folderUrl = url.refine((text) => {
  if (!URL.canParse(text)) return true;
  const { search, hash } = new URL(text);
  return search === '' && hash === '';
}, 'expected a url without a query, to which file names are appended');
/** A url with the place of an id. */
export const urlOfId = url.refine((text) => text.includes('{id}'), 'expected a url with {id}');
/** Scheme, host and port. */
export const origin = url
  .refine((text) => {
    // Reported by the check before.
    if (!URL.canParse(text)) return true;
    const { pathname, search, hash, username, password } = new URL(text);
    return pathname === '/' && ![search, hash, username, password].some(Boolean);
  }, 'expected an origin: scheme, host and port alone')
  .transform((text) => new URL(text).origin);
const cidr = z.union([z.cidrv4(), z.cidrv6()], {
  error: 'expected addresses in CIDR form, such as 10.0.0.0/8',
});
/** Comma-separated. */
export const cidrList = z
  .string()
  .default('')
  .transform((list) => list.split(',').flatMap((item) => item.trim() || []))
  .pipe(z.array(cidr));
export const integer = (min: number, max: number) => {
  const error = `expected a whole number from ${min} to ${max}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(min, error).max(max, error));
};
const secretLengthMin = 16;
export const hostSecret = z
  .string()
  .min(secretLengthMin, `expected at least ${secretLengthMin} characters`)
  .regex(/^[\x21-\x7e]+$/, 'expected characters that a header can carry, without spaces')
  .refine(
    (secret) => !/^(mk|ek|as)_/.test(secret),
    'expected a value that does not begin like a token of this service: mk_, ek_, as_',
  );

const label = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const hostName = new RegExp(`^${label}([.]${label})*[.]?$`);

/** Address that a server listens on or is reached at: an IP address or a name. Digits and dots alone are not a name. */
export const hostAddress = z
  .string()
  .refine(
    (text) => isIP(text) > 0 || (text.length <= 253 && hostName.test(text) && !/^[\d.]+$/.test(text)),
    'expected an IP address or a host name, without scheme, port and brackets',
  );

/** PostgreSQL url with a host, or a socket's directory in `?host=`: without, the driver connects to this machine. */
export const postgresUrl = z
  .url({ protocol: /^postgres(ql)?$/, error: 'expected a postgres:// url' })
  .refine((text) => {
    // Reported by the check before.
    if (!URL.canParse(text)) return true;
    const { hostname, searchParams } = new URL(text);
    return hostname !== '' || Boolean(searchParams.get('host'));
  }, 'expected a host: postgres://[user:password@]host[:port]/database');

/** Comma-separated. A comma in a password is written as %2C. */
export const postgresUrlList = z
  .string()
  .default('')
  .transform((list) => list.split(',').flatMap((item) => item.trim() || []))
  .pipe(z.array(postgresUrl));

/** One daily limit: a coin type or `*`, and base units. */
const entry = /^(.+)=(\d{1,38})$/;

const items = (text: string) => text.split(',').flatMap((part) => part.trim() || []);

/** The setting: `coinType=amount` pairs, comma-separated; `*` is for the coins that are not named. */
export const dailyLimitsSetting = z.string().superRefine((text, context) => {
  const named = new Set<string>();
  for (const item of items(text)) {
    const [, coin = ''] = entry.exec(item) ?? [];
    if (coin !== '*' && !isValidStructTag(coin)) {
      const message = `expected <coin type>=<base units> or *=<base units>, not ${item.slice(0, 80)}`;
      context.addIssue({ code: 'custom', message });
      continue;
    }
    const name = coin === '*' ? coin : normalizeStructTag(coin);
    if (named.has(name)) context.addIssue({ code: 'custom', message: `${coin} is named twice` });
    named.add(name);
  }
});

/** Parses a setting that `dailyLimitsSetting` accepts. Returns the limits by coin type. */
export function readDailyLimits(text: string): Record<string, bigint> {
  return Object.fromEntries(
    items(text).map((item) => {
      const [, coin = '', amount = '0'] = entry.exec(item) ?? [];
      return [coin === '*' ? coin : normalizeStructTag(coin), BigInt(amount)];
    }),
  );
}

/** The bounds that AGENT_GAS_DAILY names, in MIST. */
export type GasBound = 'wallet' | 'owner' | 'unplanned';

/**
 * Defaults: 0.2 SUI for a wallet, and 1 SUI for all callers without a plan together. An owner gets half of the latter
 * for all their wallets. Otherwise one owner could use up the total by creating wallets.
 */
const gasDailyDefaults: Readonly<Record<GasBound, bigint>> = {
  wallet: 200_000_000n,
  owner: 500_000_000n,
  unplanned: 1_000_000_000n,
};
export const gasDailyDefault = Object.entries(gasDailyDefaults)
  .map((pair) => pair.join('='))
  .join();

const gasEntry = /^(wallet|owner|unplanned)=(\d{1,18})$/;

/** The setting: `wallet=`, `owner=` and `unplanned=`, each with MIST, comma-separated. */
export const gasDailySetting = z.string().superRefine((text, context) => {
  const named = new Set<string>();
  for (const item of items(text)) {
    const bound = gasEntry.exec(item)?.[1];
    const wrong =
      bound === undefined
        ? `expected wallet=, owner= or unplanned= with MIST in digits, not ${item.slice(0, 80)}`
        : named.has(bound) && `${bound} is named twice`;
    if (wrong) context.addIssue({ code: 'custom', message: wrong });
    if (bound !== undefined) named.add(bound);
  }
});

/** Parses a setting that `gasDailySetting` accepts. Bounds that it leaves out have their default. */
export function readGasDaily(text: string): Record<GasBound, bigint> {
  const given = items(text).map((item) => {
    const [, bound, amount = '0'] = gasEntry.exec(item) ?? [];
    return [bound, BigInt(amount)] as const;
  });
  return { ...gasDailyDefaults, ...Object.fromEntries(given) };
}
