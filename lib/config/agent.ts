import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import { z } from 'zod';

/** One daily limit: a coin type or `*`, and base units. */
const entry = /^(.+)=(\d{1,38})$/;

const items = (text: string) => text.split(',').flatMap((part) => part.trim() || []);

/** The setting: `coinType=amount` pairs, comma-separated; `*` is for the coins that are not named. */
export const dailyLimitsSetting = z.string().superRefine((text, context) => {
  for (const item of items(text)) {
    const [, coin = ''] = entry.exec(item) ?? [];
    if (coin === '*' || isValidStructTag(coin)) continue;
    const message = `expected <coin type>=<base units> or *=<base units>, not ${item.slice(0, 80)}`;
    context.addIssue({ code: 'custom', message });
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
