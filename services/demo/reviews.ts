import { attest, type RegistryIds } from '@adaptor-marketplace/adaptor/registry-calls';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Cast } from './cast.ts';
import type { Adaptors } from './deploy-adaptors.ts';
import type { Deployed } from './publish.ts';

/** Users review what they used, one of them twice; the critic what the critic never used. */
export async function reviewAdaptors(
  { ana, ben, cleo, critic }: Cast,
  registry: RegistryIds,
  adaptors: Adaptors,
): Promise<void> {
  const { tipJar, termSavings, poolSwap, shareVault, liquidStaking, perpetualTrading } = adaptors;
  const review = (account: Account, opinions: [of: Deployed, score: number][]) =>
    execute(account, (tx) => {
      for (const [{ serviceType }, score] of opinions) {
        attest(tx, registry, { serviceType, score, commentUri: '' });
      }
    });
  await Promise.all([
    review(ana, [
      [tipJar, 5],
      [shareVault, 4],
      [liquidStaking, 5],
    ]),
    review(ben, [
      [tipJar, 3],
      [termSavings, 5],
      [perpetualTrading, 3],
    ]),
    review(ben, [[tipJar, 4]]),
    review(cleo, [
      [poolSwap, 2],
      [shareVault, 5],
    ]),
    review(critic, [
      [poolSwap, 1],
      [termSavings, 2],
    ]),
  ]);
}
