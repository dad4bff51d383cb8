import type { TransactionObjectArgument } from '@mysten/sui/transactions';
import type { Variant } from '../adaptor.ts';
import { moduleName } from '../compile.ts';
import { clock, type HostileNetwork } from '../network.ts';
import { gateName } from './compose.ts';
import { gates } from './gates.ts';

const amount = 2_000;

/** Saves money and withdraws it. @throws Error if the adaptor does not pay */
export async function saveAndWithdraw(
  network: HostileNetwork,
  gate: string,
  variant: Variant,
): Promise<void> {
  const module = moduleName(gateName(gate), variant);
  const target = (entry: string) => `${network.module(module)}::${entry}`;
  await network.execute(network.publisher, (tx) => {
    const jar = network.argument(tx, network.madeBy(module, 'Jar'));
    const extras: Record<string, () => TransactionObjectArgument> = {
      clock: () => tx.sharedObjectRef(clock),
      switch: () => network.argument(tx, network.madeBy(module, 'Switch')),
      chest: () => network.argument(tx, network.madeBy('chest', 'Chest')),
    };
    const extra = extras[gates[gate]!.parameter?.split(':')[0] ?? '']?.();
    tx.moveCall({ target: target('save'), arguments: [jar, tx.splitCoins(tx.gas, [amount])] });
    const coin = tx.moveCall({
      target: target('withdraw'),
      arguments: [jar, tx.pure.u64(amount), ...(extra ? [extra] : [])],
    });
    tx.transferObjects([coin], network.publisher.address);
  });
}
