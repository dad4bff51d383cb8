import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { milliSui } from './coins.ts';
import { openShared } from './open-shared.ts';
import { createSavings, fundSavings } from './protocols/term-savings.ts';
import { openJar } from './protocols/tip-jar.ts';
import type { Venue } from './protocols/venue.ts';

const dayMs = 86_400_000n;

/** What two adaptors keep that are their own protocols: a jar, and savings with a reserve. */
export interface JarAndSavings {
  jar: Venue<'asset'>;
  savings: Venue<'asset'>;
}

/** Opens both with the packages of the adaptors. Takes some 10 SUI of the account's. */
export async function openJarAndSavings(
  account: Account,
  packages: { jar: string; savings: string },
): Promise<JarAndSavings> {
  const { created } = await openShared(account, (tx) => ({
    jar: openJar(tx, packages.jar),
    savings: createSavings(tx, packages.savings, { termMs: 30n * dayMs, rateBps: 200 }),
  }));
  await execute(account, (tx) => {
    fundSavings(tx, created.savings, tx.splitCoins(tx.gas, [milliSui(10_000)]));
  });
  return created;
}
