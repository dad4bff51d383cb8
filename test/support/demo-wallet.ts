import { allowlistRule, createAllowlist } from '@adaptor-marketplace/adaptor/calls/allowlist';
import * as bearerCaps from '@adaptor-marketplace/adaptor/calls/bearer-cap';
import * as delegates from '@adaptor-marketplace/adaptor/calls/delegate';
import * as policy from '@adaptor-marketplace/adaptor/calls/policy';
import * as scopedCaps from '@adaptor-marketplace/adaptor/calls/scoped-cap';
import * as wallets from '@adaptor-marketplace/adaptor/calls/wallet';
import { execute } from '@adaptor-marketplace/localnet/account';
import { slots } from '../../lib/actions/slots.ts';
import { SUI, unlimited } from '../../services/demo/coins.ts';
import { addDelegate, type DemoWallet, openWallet, type SetUp } from '../../services/demo/wallets.ts';
import { readChain } from './chain-reads.ts';
import type { DemoTools } from './demo-tools.ts';

/** All coins that the slots' adaptors move. */
export function coinsOfSlots({ demo }: DemoTools): string[] {
  return [...new Set([SUI, ...slots.flatMap((slot) => Object.values(demo.venues[slot].coins))])];
}

/** A wallet of the owner's with 30 SUI whose agent may use every slot's adaptor for any amount. */
export async function walletForAgent(world: DemoTools, ...more: SetUp[]): Promise<DemoWallet> {
  const services = [...new Set(slots.map((slot) => world.demo.venues[slot].serviceType))];
  const coins = coinsOfSlots(world);
  const grants: SetUp = (tx, wallet) => {
    for (const service of services) {
      for (const coinType of coins) {
        wallets.grantServiceCoin(tx, wallet, { service, coinType, allowance: unlimited });
      }
    }
  };
  const wallet = await openWallet(world.owner, world.demo.packages.wallet, { acting: [], setUp: [grants] });
  const delegate = {
    address: world.actor(wallet.walletId).address,
    services: services.map((serviceType) => ({ serviceType, amount: unlimited })),
    coins: coins.map((coinType) => ({ coinType, amount: unlimited })),
  };
  const granted = await execute(world.owner, (tx) => {
    delegates.initialize(tx, wallet.target);
    addDelegate(tx, wallet.target, delegate);
    for (const append of more) append(tx, wallet.target);
  });
  return { ...wallet, made: { ...granted, created: [...wallet.made.created, ...granted.created] } };
}

/**
 * Gives a wallet a policy, and the agent a cap of each kind: scoped caps spend their budget, here `budget` of SUI;
 * bearer caps pay those on the wallet's list, which is empty as yet.
 */
export const capsForAgent =
  ({ demo, actor }: DemoTools, budget: bigint): SetUp =>
  (tx, wallet) => {
    const agent = actor(String(wallet.wallet));
    const { capAuth, scopedAuth, scopedBudget } = policy.walletRules(demo.packages.wallet);
    const rulesPackageId = demo.packages.rules;
    policy.initialize(tx, wallet);
    policy.addAuthRule(tx, wallet, capAuth);
    policy.addCaveatRule(tx, wallet, { rule: allowlistRule(rulesPackageId), auth: capAuth });
    policy.addAuthRule(tx, wallet, scopedAuth);
    policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
    createAllowlist(tx, { rulesPackageId, wallet: wallet.wallet });
    bearerCaps.mint(tx, wallet, agent.address);
    scopedCaps.mintRoot(tx, wallet, { coinType: SUI, budget, maxDepth: 0, recipient: agent.address });
  };

/** What a wallet holds of each coin, as the chain says. */
export async function balancesOf(
  { client, demo, owner }: DemoTools,
  walletId: string,
  coinTypes: readonly string[],
): Promise<Map<string, bigint>> {
  const target = `${demo.packages.wallet}::wallet::balance`;
  const reads = coinTypes.map((coinType) => ({ target, typeArguments: [coinType], arguments: [walletId] }));
  const balances = await readChain(client, owner.address, reads);
  return new Map(coinTypes.map((coinType, place) => [coinType, balances[place]![0]!]));
}

/** Puts `amount` of the dollars in the owner's first wallet into another one. */
export async function moveDollars(
  { client, demo, owner }: DemoTools,
  { target }: DemoWallet,
  amount: bigint,
): Promise<void> {
  const coinType = demo.venues.swap.coins.b!;
  const from = { packageId: demo.packages.wallet, wallet: demo.owner.walletId };
  await execute(owner, (tx) => wallets.takeCoin(tx, from, { coinType, amount }));
  const { objects } = await client.listCoins({ owner: owner.address, coinType });
  await execute(owner, (tx) => {
    wallets.deposit(tx, target, { coinType, coin: tx.object(objects[0]!.objectId) });
  });
}
