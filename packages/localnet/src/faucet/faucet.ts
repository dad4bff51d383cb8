import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { faucetKeypair } from '../ledger/genesis.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { suiCoinType } from '../ledger/move-types.ts';

/** What one request brings: several coins, so that an account can pay for transactions in parallel. */
export const faucetGrant = { coins: 5, mistPerCoin: 200_000_000_000n } as const;

/** MIST; far above what the transfer costs. */
const gasBudget = 50_000_000n;

export interface SentCoin {
  /** MIST. */
  amount: number;
  id: string;
  transferTxDigest: string;
}

/** Pays from the genesis account by ordinary signed transactions, one at a time because they share a coin. */
export class Faucet {
  readonly #ledger: Ledger;
  readonly #key = faucetKeypair();
  #last: Promise<unknown> = Promise.resolve();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Sends the grant to an address (canonical). */
  grant(recipient: string): Promise<SentCoin[]> {
    const grant = this.#last.then(() => this.#send(recipient));
    this.#last = grant.catch(() => undefined);
    return grant;
  }

  async #send(recipient: string): Promise<SentCoin[]> {
    const sender = this.#key.toSuiAddress();
    const { items } = this.#ledger.listOwnedObjects(sender, { limit: 1, type: suiCoinType });
    const [coin] = items;
    if (!coin) throw new Error('the faucet is empty');
    const transaction = new Transaction();
    const amounts = Array.from({ length: faucetGrant.coins }, () => faucetGrant.mistPerCoin);
    const sent = transaction.splitCoins(transaction.gas, amounts);
    transaction.transferObjects(
      amounts.map((_, index) => sent[index]!),
      recipient,
    );
    transaction.setSender(sender);
    transaction.setGasPayment([{ objectId: coin.id, version: String(coin.version), digest: coin.digest }]);
    transaction.setGasBudget(gasBudget);
    transaction.setGasPrice(this.#ledger.getEpoch()?.referenceGasPrice ?? 0n);
    const bytes = await transaction.build();
    const { signature } = await this.#key.signTransaction(bytes);
    const executed = await this.#ledger.execute(bytes, [fromBase64(signature)]);
    if (executed.failureDescription) throw new Error(`the transfer failed: ${executed.failureDescription}`);
    return executed.objects
      .filter(({ change }) => change === 'created')
      .map(({ id }) => ({ amount: Number(faucetGrant.mistPerCoin), id, transferTxDigest: executed.digest }));
  }
}
