import { onlyEpoch } from './protocol.ts';
import { refused, refusedInput } from './refusals.ts';
import type { TransactionExpiration } from './types.ts';

/** Whether a transaction is valid on this chain and in this epoch. @param chainId Base58. @throws LedgerError */
export function checkExpiration(expiration: TransactionExpiration, chainId: string): void {
  switch (expiration.$kind) {
    case 'None':
      return;
    case 'Epoch':
      if (BigInt(expiration.Epoch) < onlyEpoch) throw expired();
      return;
    case 'ValidDuring':
    case 'Validity': {
      const bounds = expiration.$kind === 'ValidDuring' ? expiration.ValidDuring : expiration.Validity;
      if (bounds.chain !== chainId) {
        const text = `Transaction chain ID ${bounds.chain} does not match network chain ID ${chainId}.`;
        throw refusedInput('InvalidChainId', text);
      }
      if (bounds.minTimestamp !== null || bounds.maxTimestamp !== null) {
        throw refusedInput(
          'InvalidExpiration',
          'Invalid transaction expiration: Timestamp-based expiration is not supported',
        );
      }
      if (bounds.minEpoch !== null && BigInt(bounds.minEpoch) > onlyEpoch) {
        throw refusedInput(
          'InvalidExpiration',
          `Invalid transaction expiration: not valid before epoch ${bounds.minEpoch}`,
        );
      }
      if (bounds.maxEpoch !== null && BigInt(bounds.maxEpoch) < onlyEpoch) throw expired();
    }
  }
}

function expired() {
  return refused('TransactionExpired', 'Transaction Expired');
}
