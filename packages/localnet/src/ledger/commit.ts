import type { Store } from '../state/store.ts';
import type { TransactionRow } from '../state/transaction-store.ts';
import type { ObjectChange } from './effects.ts';
import type { BalanceChange } from './types.ts';

/** Everything that one transaction leaves in the store. */
interface Commit {
  row: TransactionRow;
  keys: Iterable<string>;
  changes: readonly ObjectChange[];
  coinChanges: readonly BalanceChange[];
  fundsChanges: readonly BalanceChange[];
}

/** Keeps a transaction and all that it changed, or nothing. */
export function commitTransaction(store: Store, commit: Commit): void {
  const { row, keys, changes, coinChanges, fundsChanges } = commit;
  store.atomically(() => {
    for (const { id, next } of changes) {
      if (next === undefined) store.objects.remove(id);
      else store.objects.write(next);
    }
    for (const { address, coinType, amount } of coinChanges) {
      store.balances.add(address, coinType, { coins: amount });
    }
    for (const { address, coinType, amount } of fundsChanges) {
      store.balances.add(address, coinType, { funds: amount });
    }
    store.transactions.insert(row, keys);
  });
}
