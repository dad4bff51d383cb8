import type { RunBounds } from '../../../db/schema/agent-runs.ts';
import type { WalletFlows } from '../chain/wallet-flows.ts';

/**
 * What a transaction did to wallets beyond its bounds, as its events say; undefined where it kept to them.
 * @param bounds of all of its steps
 */
export function flowsBeyond(
  { takes, brings }: RunBounds,
  { paid, received, others, rights }: WalletFlows,
): string | undefined {
  if (others.length > 0) return `it touches the wallet ${others[0]}`;
  if (rights.length > 0) return `it changes who may take what: ${rights[0]}`;
  const most = new Map(takes.map(({ coinType, amount }) => [coinType, BigInt(amount)]));
  for (const [coinType, amount] of paid) {
    const max = most.get(coinType) ?? 0n;
    if (amount > max) return `it takes ${amount - max} more of ${coinType}`;
  }
  for (const { coinType, amount } of brings) {
    if ((received.get(coinType) ?? 0n) < BigInt(amount))
      return `it brings less than ${amount} of ${coinType}`;
  }
  return undefined;
}
