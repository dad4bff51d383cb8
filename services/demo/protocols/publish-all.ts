import type { Account } from '@adaptor-marketplace/localnet/account';
import { publish } from '../publish.ts';

/** The folders in `move/protocols` but the coins', later ones using earlier ones. */
export const protocolFolders = [
  ...['oracle', 'debt', 'pool', 'vault', 'flash_pool', 'supply_market', 'liquid_stake', 'concentrated'],
  ...['credit_pool', 'money_market', 'stablecoin', 'perpetuals'],
];

/** Publishes all protocols. Answers their packages by folder, which is also the name by which others depend on them. */
export async function publishProtocols(keeper: Account): Promise<Record<string, string>> {
  const published: Record<string, string> = {};
  for (const folder of protocolFolders) {
    published[folder] = (await publish(keeper, `protocols/${folder}`, published)).packageId;
  }
  return published;
}
