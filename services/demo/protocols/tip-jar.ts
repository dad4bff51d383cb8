import type { Transaction } from '@mysten/sui/transactions';
import { SUI } from '../coins.ts';
import type { Opened } from './venue.ts';

/** Appends a jar of the sender's. */
export function openJar(tx: Transaction, packageId: string): Opened<'asset'> {
  tx.moveCall({ target: `${packageId}::tip_jar::open` });
  return { packageId, coins: { asset: SUI }, objectType: `${packageId}::tip_jar::Jar` };
}
