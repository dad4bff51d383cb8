import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { Transaction } from '@mysten/sui/transactions';
import type { ExecutedTransaction } from '../types.ts';
import type { Account } from './network.ts';

/** Publishes one module of the package `demo`; the account keeps the UpgradeCap. */
export async function publishModule(account: Account, source: string): Promise<ExecutedTransaction> {
  const manifest = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
  const { modules, dependencies } = await compileSources({
    'Move.toml': manifest,
    'sources/demo.move': source,
  });
  const transaction = new Transaction();
  const cap = transaction.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
  transaction.transferObjects([cap], account.address);
  const executed = await account.execute(transaction);
  if (executed.failureDescription) throw new Error(executed.failureDescription);
  return executed;
}

/** The id of an object that a transaction touched, by the end of its type. */
export function idOfType({ objects }: ExecutedTransaction, type: string | RegExp): string {
  const found = objects.find((each) =>
    type instanceof RegExp ? type.test(each.type) : each.type.endsWith(type),
  );
  if (!found) throw new Error(`no object of type ${type} in ${objects.map((each) => each.type).join(', ')}`);
  return found.id;
}
