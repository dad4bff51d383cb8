import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { Opened, Venue } from './protocols/venue.ts';
import { createdObject } from './publish.ts';

type Created<Made extends Record<string, Opened<string>>> = {
  [Name in keyof Made]: Venue<keyof Made[Name]['coins'] & string>;
};

/** Executes what `build` appends, and finds the shared objects that it says are created. */
export async function openShared<Made extends Record<string, Opened<string>>>(
  account: Account,
  build: (tx: Transaction) => Made,
): Promise<{ executed: Executed; created: Created<Made> }> {
  let made: Made | undefined;
  const executed = await execute(account, (tx) => {
    made = build(tx);
  });
  const entries = Object.entries(made ?? {}).map(([name, { objectType, ...rest }]) => [
    name,
    { ...rest, objectId: createdObject(executed, objectType) },
  ]);
  return { executed, created: Object.fromEntries(entries) as Created<Made> };
}
