import { Transaction } from '@mysten/sui/transactions';
import { suiType } from '../move-types.ts';

/** Sends SUI of the gas coin into the address balance of the recipient. */
export function sending(recipient: string, amount: number): Transaction {
  const transaction = new Transaction();
  transaction.moveCall({
    target: '0x2::coin::send_funds',
    typeArguments: [suiType],
    arguments: [transaction.splitCoins(transaction.gas, [amount]), transaction.pure.address(recipient)],
  });
  return transaction;
}

/** Withdraws at most `limit` and sends what was redeemed. */
export function withdrawing(limit: number, recipient: string): Transaction {
  const transaction = new Transaction();
  const balance = transaction.moveCall({
    target: '0x2::balance::redeem_funds',
    typeArguments: [suiType],
    arguments: [transaction.withdrawal({ amount: limit })],
  });
  transaction.moveCall({
    target: '0x2::balance::send_funds',
    typeArguments: [suiType],
    arguments: [balance, transaction.pure.address(recipient)],
  });
  return transaction;
}
