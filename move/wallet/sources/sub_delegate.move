/// Scoped caps: a budget of one coin for the holder of the cap. A holder can split off caps with a part of the
/// budget, within the allowed depth. If the owner revokes a cap, all its descendants end.
module wallet::sub_delegate;

use std::type_name::TypeName;
use sui::event;
use wallet::lock;
use wallet::policy::{Self, SpendRequest};
use wallet::type_names;
use wallet::wallet::Wallet;

/// The cap belongs to another wallet.
const EWrongWallet: u64 = 1;
/// The cap, one of its ancestors, or the policy was revoked after the cap was minted.
const ECapRevoked: u64 = 2;
/// The cap is for another coin.
const EWrongCoin: u64 = 3;
/// The amount exceeds the rest of the cap's budget.
const EInsufficientBudget: u64 = 4;
/// The cap is at the maximum depth of its root.
const EMaxDepthExceeded: u64 = 5;
/// The budget or the split amount is zero.
const EZeroAmount: u64 = 6;
/// A root allows at most eight levels below it.
const EMaxDepthTooLarge: u64 = 7;

const MAX_DEPTH: u8 = 8;

public struct ScopedCap has key, store {
    id: UID,
    wallet_id: ID,
    policy_version: u64,
    coin: TypeName,
    remaining: u64,
    depth: u8,
    max_depth: u8,
    parent: Option<ID>,
    /// The ancestors of the cap: its parent first, its root last.
    ancestors: vector<ID>,
}

/// The auth rule of scoped caps.
public struct ScopedAuth has drop {}

/// The caveat that the spend was subtracted from the cap's budget.
public struct ScopedBudget has drop {}

// Readers ignore unknown fields at the end, so new fields are only appended.

/// A new child cap takes `budget` from its parent.
public struct ScopedCapMinted has copy, drop {
    wallet_id: ID,
    cap_id: ID,
    coin: TypeName,
    budget: u64,
    depth: u8,
    max_depth: u8,
    parent: Option<ID>,
    policy_version: u64,
    /// The address that received it; none if it was returned to the transaction.
    recipient: Option<address>,
}

public struct ScopedSpent has copy, drop {
    wallet_id: ID,
    cap_id: ID,
    coin: TypeName,
    amount: u64,
    remaining: u64,
}

/// The parent can collect `unused`; that of a root is lost.
public struct ScopedCapBurned has copy, drop {
    wallet_id: ID,
    cap_id: ID,
    coin: TypeName,
    unused: u64,
    parent: Option<ID>,
}

/// The cap collected the unused budget of burned children.
public struct ScopedRefunded has copy, drop {
    wallet_id: ID,
    cap_id: ID,
    coin: TypeName,
    amount: u64,
    remaining: u64,
}

public struct ScopedCapRevoked has copy, drop {
    wallet_id: ID,
    cap_id: ID,
}

// === The owner's side ===

/// Mints a cap, which the owner passes on. It can be split `max_depth` levels deep (zero to eight).
public fun mint_root<CoinT>(
    wallet: &Wallet,
    budget: u64,
    max_depth: u8,
    ctx: &mut TxContext,
): ScopedCap {
    new_root<CoinT>(wallet, budget, max_depth, option::none(), ctx)
}

public fun mint_root_and_transfer<CoinT>(
    wallet: &Wallet,
    budget: u64,
    max_depth: u8,
    recipient: address,
    ctx: &mut TxContext,
) {
    let cap = new_root<CoinT>(wallet, budget, max_depth, option::some(recipient), ctx);
    transfer::public_transfer(cap, recipient)
}

/// Revokes one cap and all its descendants, wherever they are. Only for the owner.
public fun revoke(wallet: &mut Wallet, cap_id: ID, ctx: &TxContext) {
    if (policy::revoke_cap(wallet, cap_id, ctx)) {
        event::emit(ScopedCapRevoked { wallet_id: wallet.id(), cap_id })
    }
}

// === The holder's side ===

/// Splits off a cap with `amount` of the budget, one level deeper.
public fun subdelegate(
    cap: &mut ScopedCap,
    wallet: &Wallet,
    amount: u64,
    ctx: &mut TxContext,
): ScopedCap {
    cap.split(wallet, amount, option::none(), ctx)
}

public fun subdelegate_and_transfer(
    cap: &mut ScopedCap,
    wallet: &Wallet,
    amount: u64,
    recipient: address,
    ctx: &mut TxContext,
) {
    transfer::public_transfer(cap.split(wallet, amount, option::some(recipient), ctx), recipient)
}

/// Subtracts the request's amount from the budget and stamps the request, as auth rule and as caveat. The
/// confirmation rejects a cap that was revoked by its id, which undoes this too.
public fun spend(cap: &mut ScopedCap, request: &mut SpendRequest) {
    assert!(cap.wallet_id == request.spend_wallet_id(), EWrongWallet);
    assert!(cap.policy_version == request.spend_policy_version(), ECapRevoked);
    assert!(cap.coin == request.spend_coin(), EWrongCoin);
    let amount = request.spend_amount();
    assert!(amount <= cap.remaining, EInsufficientBudget);
    cap.remaining = cap.remaining - amount;
    policy::add_cap_receipt(ScopedAuth {}, request, cap.lineage());
    policy::add_caveat_receipt(ScopedBudget {}, request);
    event::emit(ScopedSpent {
        wallet_id: cap.wallet_id,
        cap_id: object::id(cap),
        coin: cap.coin,
        amount,
        remaining: cap.remaining,
    })
}

/// Burns the cap. The rest of its budget, and what it could collect, goes to its parent's `collect_refund`.
public fun burn(cap: ScopedCap, wallet: &mut Wallet) {
    assert!(cap.wallet_id == wallet.id(), EWrongWallet);
    let ScopedCap { id, wallet_id, coin, remaining, parent, .. } = cap;
    let cap_id = id.to_inner();
    let unused = remaining + policy::take_refund(wallet, cap_id);
    parent.do!(|parent| policy::add_refund(wallet, parent, unused));
    event::emit(ScopedCapBurned { wallet_id, cap_id, coin, unused, parent });
    id.delete()
}

/// Collects the unused budget of burned children, which may be zero.
public fun collect_refund(parent: &mut ScopedCap, wallet: &mut Wallet) {
    assert!(parent.wallet_id == wallet.id(), EWrongWallet);
    let cap_id = object::id(parent);
    let amount = policy::take_refund(wallet, cap_id);
    if (amount == 0) return;
    parent.remaining = parent.remaining + amount;
    event::emit(ScopedRefunded {
        wallet_id: parent.wallet_id,
        cap_id,
        coin: parent.coin,
        amount,
        remaining: parent.remaining,
    })
}

// === Reads ===

public fun remaining(cap: &ScopedCap): u64 {
    cap.remaining
}

public fun coin(cap: &ScopedCap): TypeName {
    cap.coin
}

public fun depth(cap: &ScopedCap): u8 {
    cap.depth
}

public fun max_depth(cap: &ScopedCap): u8 {
    cap.max_depth
}

public fun wallet_id(cap: &ScopedCap): ID {
    cap.wallet_id
}

public fun policy_version(cap: &ScopedCap): u64 {
    cap.policy_version
}

public fun parent(cap: &ScopedCap): Option<ID> {
    cap.parent
}

/// The ancestors of the cap: its parent first, its root last.
public fun ancestors(cap: &ScopedCap): vector<ID> {
    cap.ancestors
}

/// Whether the cap belongs to this wallet and neither it nor an ancestor was revoked, by its id or with all
/// others.
public fun is_current(cap: &ScopedCap, wallet: &Wallet): bool {
    cap.wallet_id == wallet.id() &&
        cap.policy_version == policy::version(wallet) &&
        !cap.lineage().any!(|id| policy::is_cap_revoked(wallet, *id))
}

// === Inside ===

fun new_root<CoinT>(
    wallet: &Wallet,
    budget: u64,
    max_depth: u8,
    recipient: Option<address>,
    ctx: &mut TxContext,
): ScopedCap {
    wallet.assert_owner(ctx);
    assert!(budget > 0, EZeroAmount);
    assert!(max_depth <= MAX_DEPTH, EMaxDepthTooLarge);
    let cap = ScopedCap {
        id: object::new(ctx),
        wallet_id: wallet.id(),
        policy_version: policy::version(wallet),
        coin: type_names::bounded<CoinT>(),
        remaining: budget,
        depth: 0,
        max_depth,
        parent: option::none(),
        ancestors: vector[],
    };
    cap.announce(recipient);
    cap
}

fun split(
    cap: &mut ScopedCap,
    wallet: &Wallet,
    amount: u64,
    recipient: Option<address>,
    ctx: &mut TxContext,
): ScopedCap {
    wallet.assert_version();
    assert!(cap.wallet_id == wallet.id(), EWrongWallet);
    // A service that acts on the wallet cannot pass on a part of a budget.
    lock::assert_none(wallet.uid());
    assert!(cap.is_current(wallet), ECapRevoked);
    assert!(amount > 0, EZeroAmount);
    assert!(cap.depth < cap.max_depth, EMaxDepthExceeded);
    assert!(amount <= cap.remaining, EInsufficientBudget);
    cap.remaining = cap.remaining - amount;
    let child = ScopedCap {
        id: object::new(ctx),
        wallet_id: cap.wallet_id,
        policy_version: cap.policy_version,
        coin: cap.coin,
        remaining: amount,
        depth: cap.depth + 1,
        max_depth: cap.max_depth,
        parent: option::some(object::id(cap)),
        ancestors: cap.lineage(),
    };
    child.announce(recipient);
    child
}

/// The cap's id, then its ancestors'.
fun lineage(cap: &ScopedCap): vector<ID> {
    let mut lineage = vector[object::id(cap)];
    lineage.append(cap.ancestors);
    lineage
}

fun announce(cap: &ScopedCap, recipient: Option<address>) {
    event::emit(ScopedCapMinted {
        wallet_id: cap.wallet_id,
        cap_id: object::id(cap),
        coin: cap.coin,
        budget: cap.remaining,
        depth: cap.depth,
        max_depth: cap.max_depth,
        parent: cap.parent,
        policy_version: cap.policy_version,
        recipient,
    })
}
