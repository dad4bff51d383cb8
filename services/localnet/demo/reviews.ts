import { attest, type RegistryIds } from '../../../lib/adaptor/registry-calls.ts';
import { type Account, execute } from './account.ts';
import type { Cast } from './cast.ts';
import type { Listings } from './listings.ts';
import type { Deployed } from './publish.ts';

/** Users review what they used, one of them twice; the critic what the critic never used. */
export async function reviewAdaptors(
  { ana, ben, cleo, critic }: Cast,
  registry: RegistryIds,
  { jar, savings, swap, vault }: Listings,
): Promise<void> {
  const review = (account: Account, opinions: [of: Deployed, score: number][]) =>
    execute(account, (tx) => {
      for (const [{ serviceType }, score] of opinions) {
        attest(tx, registry, { serviceType, score, commentUri: '' });
      }
    });
  await Promise.all([
    review(ana, [
      [jar, 5],
      [vault, 4],
    ]),
    review(ben, [
      [jar, 3],
      [savings, 5],
    ]),
    review(ben, [[jar, 4]]),
    review(cleo, [
      [swap, 2],
      [vault, 5],
    ]),
    review(critic, [
      [swap, 1],
      [savings, 2],
    ]),
  ]);
}
