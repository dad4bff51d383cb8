import { byCoin, type CoinAmount } from '@adaptor-marketplace/adaptor/transactions';
import { type ActionRequest, amountsOf } from '../../../lib/actions/request.ts';
import { RunFailure } from '../../../lib/agent/run-failure.ts';

/**
 * Holds a transaction to the bounds that its caller decided on. The listing that they follow from can be updated in
 * the meantime.
 * @throws RunFailure `bounds_exceeded`
 */
export function requireBounds(
  bounds: ActionRequest['bounds'],
  { takes, brings }: { takes: readonly CoinAmount[]; brings: readonly CoinAmount[] },
): void {
  if (!bounds) return;
  const allowed = amountByCoin(byCoin(amountsOf(bounds.takesAtMost)));
  for (const { coinType, amount } of takes) {
    const most = allowed.get(coinType) ?? 0n;
    if (amount > most) throw exceeded(`it can take ${amount} of ${coinType}, and ${most} is allowed`);
  }
  const brought = amountByCoin(brings);
  for (const { coinType, amount } of byCoin(amountsOf(bounds.bringsAtLeast))) {
    const least = brought.get(coinType) ?? 0n;
    if (least < amount) throw exceeded(`it must bring ${least} of ${coinType}, and ${amount} is required`);
  }
}

const amountByCoin = (amounts: readonly CoinAmount[]) =>
  new Map(amounts.map(({ coinType, amount }) => [coinType, amount]));

const exceeded = (reason: string) =>
  new RunFailure(
    'bounds_exceeded',
    `The transaction exceeds the bounds of the request: ${reason}. Nothing was signed. Simulate again, and decide by the new bounds.`,
  );
