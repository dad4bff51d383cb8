import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';

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

/** The limits of a setting that was found right, by coin type. */
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
 * 0.2 SUI a wallet, and 1 SUI for all callers together that no operator vouches for. An owner gets half of the latter
 * for all their wallets: one owner must not use up what is there for all others, by making wallets.
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

/** The bounds of a setting that was found right; one that it leaves out keeps its default. */
export function readGasDaily(text: string): Record<GasBound, bigint> {
  const given = items(text).map((item) => {
    const [, bound, amount = '0'] = gasEntry.exec(item) ?? [];
    return [bound, BigInt(amount)] as const;
  });
  return { ...gasDailyDefaults, ...Object.fromEntries(given) };
}
