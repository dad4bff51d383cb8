import { type CoinAmount, sumByCoin } from '@adaptor-marketplace/adaptor/transactions';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import { type ActionRequest, parseAmounts } from '../../../lib/actions/request.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';

/**
 * Checks the listings of the called adaptors against those that the caller decided on. A manifest names the package, so
 * its hash determines every call. @throws RunFailedError `listing_changed`
 */
export function requireListings(
  bounds: ActionRequest['bounds'],
  listed: readonly (Pick<CatalogEntry, 'serviceType' | 'manifestHash'> | undefined)[],
): void {
  const { manifests } = bounds ?? {};
  if (!manifests) return;
  for (const entry of listed) {
    if (!entry) continue;
    const { serviceType, manifestHash } = entry;
    const decided = Object.hasOwn(manifests, serviceType) ? manifests[serviceType] : undefined;
    if (decided === manifestHash) continue;
    const difference =
      decided === undefined
        ? `the request would call ${serviceType}, which its bounds do not name`
        : `the manifest of ${serviceType} has the hash ${manifestHash}, and not ${decided}`;
    throw new RunFailedError(
      'listing_changed',
      `The listing is not the one that the request names: ${difference}. Nothing was signed. Simulate again, and decide by the calls that it makes now.`,
    );
  }
}

/**
 * Checks against the bounds that the caller decided on: the listing may have been updated since. @throws RunFailedError
 * `bounds_exceeded`
 */
export function requireBounds(
  bounds: ActionRequest['bounds'],
  { takes, brings }: { takes: readonly CoinAmount[]; brings: readonly CoinAmount[] },
): void {
  if (!bounds) return;
  const allowed = amountByCoin(sumByCoin(parseAmounts(bounds.takesAtMost)));
  for (const { coinType, amount } of takes) {
    const most = allowed.get(coinType) ?? 0n;
    if (amount > most) throw exceeded(`it can take ${amount} of ${coinType}, and ${most} is allowed`);
  }
  const brought = amountByCoin(brings);
  for (const { coinType, amount } of sumByCoin(parseAmounts(bounds.bringsAtLeast))) {
    const least = brought.get(coinType) ?? 0n;
    if (least < amount) throw exceeded(`it must bring ${least} of ${coinType}, and ${amount} is required`);
  }
}

const amountByCoin = (amounts: readonly CoinAmount[]) =>
  new Map(amounts.map(({ coinType, amount }) => [coinType, amount]));

const exceeded = (reason: string) =>
  new RunFailedError(
    'bounds_exceeded',
    `The transaction exceeds the bounds of the request: ${reason}. Nothing was signed. Simulate again, and decide by the new bounds.`,
  );
