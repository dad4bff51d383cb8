import {
  allowlistRule,
  allowlist as allowlists,
  bearerCap as bearerCaps,
  policy,
  scopedCap as scopedCaps,
} from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { Cast } from './cast.ts';
import { milliSui, SUI } from './coins.ts';
import { type Core, createdObject } from './publish.ts';
import type { DemoWallet, SetUp } from './wallets.ts';

/**
 * A policy for both kinds of caps: scoped caps spend their budgets, bearer caps pay those on the wallet's list. The
 * list is empty at first.
 */
export function setUpPolicy(core: Core, mintCaps: SetUp): SetUp {
  const { capAuth, scopedAuth, scopedBudget } = policy.walletRules(core.wallet);
  const rulesPackageId = core.rules.packageId;
  return (tx, wallet) => {
    policy.initialize(tx, wallet);
    policy.addAuthRule(tx, wallet, capAuth);
    policy.addCaveatRule(tx, wallet, { rule: allowlistRule(rulesPackageId), auth: capAuth });
    policy.addAuthRule(tx, wallet, scopedAuth);
    policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
    allowlists.createAllowlist(tx, { rulesPackageId, wallet: wallet.wallet });
    mintCaps(tx, wallet);
  };
}

/** Ids of a wallet's first caps and of its allowlist. */
interface Caps {
  bearer: string;
  scoped: string;
  allowlist: string;
}

/** Of a wallet that `setUpPolicy` opened with one cap of each kind. */
export const capsOf = ({ made }: DemoWallet): Caps => ({
  bearer: createdObject(made, '::cap_auth::DelegateCap'),
  scoped: createdObject(made, '::sub_delegate::ScopedCap'),
  allowlist: createdObject(made, '::rule::Allowlist'),
});

/** The owner of the wallet lists the recipients that bearer caps may pay. */
export async function allow(wallet: DemoWallet, core: Core, recipients: string[]): Promise<void> {
  const { allowlist: listId } = capsOf(wallet);
  const target = { rulesPackageId: core.rules.packageId, wallet: wallet.walletId };
  await execute(wallet.owner, (tx) => {
    for (const recipient of recipients)
      allowlists.setAllowed(tx, target, { listId, recipient, allowed: true });
  });
}

interface Payment {
  recipient: string;
  amount: bigint;
}

/** Appends a spend by the sender's bearer cap. */
function spendByBearerCap(tx: Transaction, core: Core, wallet: DemoWallet, payment: Payment): void {
  const { bearer, allowlist } = capsOf(wallet);
  const request = policy.beginSpend(tx, wallet.target, { coinType: SUI, ...payment });
  bearerCaps.prove(tx, core.wallet, { capId: bearer, request });
  allowlists.enforceAllowlist(tx, core.rules.packageId, { listId: allowlist, request });
  policy.confirmSpend(tx, wallet.target, { coinType: SUI, request });
}

/** Appends a spend by the sender's scoped cap. */
function spendByScopedCap(
  tx: Transaction,
  core: Core,
  wallet: DemoWallet,
  { capId, ...payment }: Payment & { capId: string },
): void {
  const request = policy.beginSpend(tx, wallet.target, { coinType: SUI, ...payment });
  scopedCaps.spend(tx, core.wallet, { capId, request });
  policy.confirmSpend(tx, wallet.target, { coinType: SUI, request });
}

/**
 * The agent pays listed recipients by its bearer cap and delegates a part of its scoped cap to the scout, who delegates
 * a part of that to the runner. The runner spends some and burns the cap; what is left goes back to the scout's.
 */
export async function spendThroughCaps(cast: Cast, core: Core, wallet: DemoWallet): Promise<void> {
  const { agent, scout, runner, provider, harbour } = cast;
  const { scoped: root } = capsOf(wallet);
  const delegatePart = async (
    from: 'agent' | 'scout',
    capId: string,
    amount: bigint,
    to: 'scout' | 'runner',
  ) => {
    const executed = await execute(cast[from], (tx) => {
      scopedCaps.subdelegate(tx, wallet.target, { capId, amount, recipient: cast[to].address });
      const spent = { capId, recipient: provider.address, amount: milliSui(100) };
      spendByScopedCap(tx, core, wallet, spent);
    });
    return createdObject(executed, '::sub_delegate::ScopedCap');
  };

  await execute(agent, (tx) => {
    spendByBearerCap(tx, core, wallet, { recipient: provider.address, amount: milliSui(150) });
    spendByBearerCap(tx, core, wallet, { recipient: harbour.address, amount: milliSui(50) });
  });
  const child = await delegatePart('agent', root, milliSui(2_000), 'scout');
  const grandchild = await delegatePart('scout', child, milliSui(800), 'runner');
  await execute(runner, (tx) => {
    spendByScopedCap(tx, core, wallet, {
      ...{ capId: grandchild, recipient: provider.address, amount: milliSui(300) },
    });
    scopedCaps.burn(tx, wallet.target, grandchild);
  });
  await execute(scout, (tx) => scopedCaps.collectRefund(tx, wallet.target, child));
}

/** Revokes one of the wallet's caps. */
export async function revokeScopedCap(wallet: DemoWallet): Promise<void> {
  await execute(wallet.owner, (tx) => scopedCaps.revoke(tx, wallet.target, capsOf(wallet).scoped));
}

/** Revokes all caps of the wallet, after one of them was used. */
export async function revokePolicy({ agent, provider }: Cast, core: Core, wallet: DemoWallet): Promise<void> {
  const payment = { recipient: provider.address, amount: milliSui(70) };
  await execute(agent, (tx) => {
    spendByScopedCap(tx, core, wallet, { capId: capsOf(wallet).scoped, ...payment });
  });
  await execute(wallet.owner, (tx) => policy.revokeAll(tx, wallet.target));
}
