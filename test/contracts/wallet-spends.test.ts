import {
  allowlist,
  bearerCap,
  delegate,
  policy,
  scopedCap,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Account } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { beforeAll, describe, expect, test } from 'vitest';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { useForFile } from '../support/use-for-file.ts';
import {
  coinType,
  expectAbort,
  expectGone,
  newWallet,
  startWalletPackages,
  type WalletPackages,
} from '../support/wallet-packages.ts';

let packages: WalletPackages['packages'];
let run: WalletPackages['run'];
let owner: Account;
let ana: Account;
let ben: Account;
let cleo: Account;
const shop = `0x${'5'.repeat(64)}`;

const network = useForFile(startWalletPackages);
beforeAll(async () => {
  ({ packages, run, owner } = network);
  const { newAccount } = network;
  [ana, ben, cleo] = await Promise.all([newAccount(), newAccount(), newAccount()]);
});

test('a wallet is made with its grants, delegates and policy in one transaction', async () => {
  const service = `${packages.rules}::rule::RecipientAllowlist`;
  const expiresAtMs = BigInt(Date.now()) + 3_600_000n;
  const of = { delegate: ana.address };
  const { made, wallet, walletId } = await newWallet(network, (tx, wallet) => {
    wallets.grantServiceCoin(tx, wallet, { service, coinType, allowance: 500n });
    delegate.initialize(tx, wallet);
    delegate.add(tx, wallet, ana.address);
    delegate.setServiceAllowance(tx, wallet, { ...of, service, amount: 200n });
    delegate.setCoinAllowance(tx, wallet, { ...of, coinType, amount: 2n ** 64n - 1n });
    delegate.setExpiry(tx, wallet, { ...of, expiresAtMs });
  });
  expect(made.names).toEqual([
    'wallet::WalletCreated',
    'wallet::CoinDeposited',
    'policy::PolicyInitialized',
    'policy::AuthRuleChanged',
    'policy::CaveatRuleChanged',
    'wallet::ServiceGranted',
    'delegate::Initialized',
    'delegate::Added',
    'delegate::ServiceAllowanceChanged',
    'delegate::CoinAllowanceChanged',
    'delegate::ExpiryChanged',
  ]);
  expect(made.getEvent('wallet::WalletCreated')).toEqual({
    walletId,
    owner: owner.address,
    signerAddress: walletId,
  });
  expect(made.getEvent('wallet::ServiceGranted')).toMatchObject({ walletId, service, coin: coinType });

  const undone = await run(owner, (tx) => {
    delegate.setExpiry(tx, wallet, { ...of, expiresAtMs: null });
    delegate.remove(tx, wallet, ana.address);
    wallets.revokeService(tx, wallet, service);
    wallets.setPaused(tx, wallet, true);
    wallets.takeCoin(tx, wallet, { coinType, amount: 300n });
  });
  expect(undone.names).toEqual([
    'delegate::ExpiryChanged',
    'delegate::Removed',
    'wallet::ServiceRevoked',
    'wallet::WalletPauseChanged',
    'wallet::CoinWithdrawn',
  ]);
  expect(undone.getEvent('delegate::ExpiryChanged')).toMatchObject({ expiresAtMs: null });
});

describe('mint, delegate, spend, revoke', () => {
  test('a bearer cap spends to the wallet’s active allowlist alone, until the policy is revoked', async () => {
    const { capAuth } = policy.walletRules(packages.wallet);
    const rule = allowlist.allowlistRule(packages.rules);
    const { wallet, walletId } = await newWallet(network, (tx, made) => {
      policy.addAuthRule(tx, made, capAuth);
      policy.addCaveatRule(tx, made, { rule, auth: capAuth });
    });
    const list = { rulesPackageId: packages.rules, wallet: walletId };
    const first = await run(owner, (tx) => {
      allowlist.createAllowlist(tx, list);
      bearerCap.mint(tx, wallet, ana.address);
      bearerCap.mint(tx, wallet, ben.address);
    });
    expect(first.names).toEqual([
      'rule::AllowlistCreated',
      'cap_auth::DelegateCapMinted',
      'cap_auth::DelegateCapMinted',
    ]);
    const wide = findCreatedObject(first, '::rule::Allowlist');
    await run(owner, (tx) =>
      allowlist.setAllowed(tx, list, { listId: wide, recipient: cleo.address, allowed: true }),
    );
    const second = await run(owner, (tx) => allowlist.createAllowlist(tx, list));
    expect(second.names).toEqual(['rule::AllowlistRetired', 'rule::AllowlistCreated']);
    const listId = findCreatedObject(second, '::rule::Allowlist');
    const changed = await run(owner, (tx) => {
      allowlist.setAllowed(tx, list, { listId, recipient: shop, allowed: true });
      allowlist.setAllowed(tx, list, { listId, recipient: cleo.address, allowed: true });
      allowlist.setAllowed(tx, list, { listId, recipient: cleo.address, allowed: false });
    });
    expect(changed.names).toEqual(Array(3).fill('rule::AllowlistChanged'));

    const capByOwner = new Map<string, string>();
    for (const { address } of [ana, ben]) capByOwner.set(address, await ownedObject(address, 'DelegateCap'));
    const spend = (by: Account, recipient: string, enforced: string) => (tx: Transaction) => {
      const request = policy.beginSpend(tx, wallet, { coinType, amount: 10n, recipient });
      bearerCap.prove(tx, packages.wallet, { capId: capByOwner.get(by.address)!, request });
      allowlist.enforceAllowlist(tx, packages.rules, { listId: enforced, request });
      policy.confirmSpend(tx, wallet, { coinType, request });
    };
    const paid = await run(ana, spend(ana, shop, listId));
    expect(paid.names).toEqual(['policy::SpendConfirmed', 'wallet::CoinWithdrawn']);
    expect(paid.getEvent('policy::SpendConfirmed')).toMatchObject({
      walletId,
      recipient: shop,
      sender: ana.address,
      capId: capByOwner.get(ana.address),
    });
    await expectAbort('rule', 1, ana, spend(ana, cleo.address, listId));
    await expectAbort('rule', 4, ana, spend(ana, cleo.address, wide));

    const one = await run(owner, (tx) => bearerCap.revoke(tx, wallet, capByOwner.get(ana.address)!));
    expect(one.names).toEqual(['cap_auth::DelegateCapRevoked']);
    await expectAbort('policy', 12, ana, spend(ana, shop, listId));
    await run(ben, spend(ben, shop, listId));
    const all = await run(owner, (tx) => policy.revokeAll(tx, wallet));
    expect(all.names).toEqual(['policy::PolicyRevoked']);
    await expectAbort('cap_auth', 2, ben, spend(ben, shop, listId));

    const burned = await run(ben, (tx) => bearerCap.burn(tx, packages.wallet, capByOwner.get(ben.address)!));
    expect(burned.names).toEqual(['cap_auth::DelegateCapBurned']);
    const retired = await run(owner, (tx) => allowlist.retireAllowlist(tx, list, listId));
    expect(retired.names).toEqual(['rule::AllowlistRetired']);
    await expectGone(network, listId);
  });

  test('a scoped cap is split twice, spent, given back and revoked with all that descend from it', async () => {
    const { wallet, walletId } = await newWallet(network);
    const minted = await run(owner, (tx) =>
      scopedCap.mintRoot(tx, wallet, { coinType, budget: 100n, maxDepth: 2, recipient: ana.address }),
    );
    expect(minted.getEvent('sub_delegate::ScopedCapMinted')).toMatchObject({
      walletId,
      depth: 0,
      maxDepth: 2,
      recipient: ana.address,
    });
    const root = findCreatedObject(minted, '::sub_delegate::ScopedCap');
    const split = async (from: Account, capId: string, amount: bigint, to: Account) => {
      const done = await run(from, (tx) =>
        scopedCap.subdelegate(tx, wallet, { capId, amount, recipient: to.address }),
      );
      return findCreatedObject(done, '::sub_delegate::ScopedCap');
    };
    const child = await split(ana, root, 50n, ben);
    const grandchild = await split(ben, child, 20n, cleo);
    await expectAbort('sub_delegate', 5, cleo, (tx) =>
      scopedCap.subdelegate(tx, wallet, { capId: grandchild, amount: 1n, recipient: shop }),
    );

    const spend = (capId: string, amount: bigint) => (tx: Transaction) => {
      const request = policy.beginSpend(tx, wallet, { coinType, amount, recipient: shop });
      scopedCap.spend(tx, packages.wallet, { capId, request });
      policy.confirmSpend(tx, wallet, { coinType, request });
    };
    const paid = await run(cleo, spend(grandchild, 5n));
    expect(paid.names).toEqual([
      'sub_delegate::ScopedSpent',
      'policy::SpendConfirmed',
      'wallet::CoinWithdrawn',
    ]);
    expect(paid.getEvent('sub_delegate::ScopedSpent')).toMatchObject({ capId: grandchild });
    await expectAbort('sub_delegate', 4, cleo, spend(grandchild, 16n));

    const burned = await run(cleo, (tx) => scopedCap.burn(tx, wallet, grandchild));
    expect(burned.names).toEqual(['sub_delegate::ScopedCapBurned']);
    const back = await run(ben, (tx) => scopedCap.collectRefund(tx, wallet, child));
    expect(back.names).toEqual(['sub_delegate::ScopedRefunded']);
    await run(ben, spend(child, 40n));

    const revoked = await run(owner, (tx) => scopedCap.revoke(tx, wallet, root));
    expect(revoked.names).toEqual(['sub_delegate::ScopedCapRevoked']);
    await expectAbort('policy', 12, ana, spend(root, 1n));
    await expectAbort('policy', 12, ben, spend(child, 5n));
  });
});

async function ownedObject(address: string, name: string): Promise<string> {
  const { objects } = await network.client.listOwnedObjects({ owner: address });
  const found = objects.find(({ type }) => type.endsWith(`::${name}`));
  if (!found) throw new Error(`${address} owns no ${name}`);
  return found.objectId;
}
