import type { z } from 'zod';

/**
 * A record that is kept as JSON; undefined where there is none, or something else. What another program has put
 * into the store is nobody's: one such value must not take down the work on all others.
 */
export function parseRecord<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
