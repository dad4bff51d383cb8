/// Bearer caps: the holder may request spends of the wallet. The caveats of the policy decide how much and to
/// whom; without any caveat, a bearer cap authorizes nothing.
module wallet::cap_auth;

use sui::event;
use wallet::policy::{Self, SpendRequest};
use wallet::wallet::Wallet;

/// The cap belongs to another wallet than the request.
const EWrongWallet: u64 = 1;
/// The policy was revoked after the cap was minted.
const ECapRevoked: u64 = 2;

public struct DelegateCap has key, store {
    id: UID,
    wallet_id: ID,
    policy_version: u64,
}

/// The auth rule of bearer caps.
public struct CapAuth has drop {}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct DelegateCapMinted has copy, drop {
    wallet_id: ID,
    cap_id: ID,
    policy_version: u64,
    /// The address that received it; none if it was returned to the transaction.
    recipient: Option<address>,
}

public struct DelegateCapBurned has copy, drop {
    wallet_id: ID,
    cap_id: ID,
}

public struct DelegateCapRevoked has copy, drop {
    wallet_id: ID,
    cap_id: ID,
}

/// Mints a cap, which the owner passes on.
public fun mint(wallet: &Wallet, ctx: &mut TxContext): DelegateCap {
    new(wallet, option::none(), ctx)
}

public fun mint_and_transfer(wallet: &Wallet, recipient: address, ctx: &mut TxContext) {
    transfer::public_transfer(new(wallet, option::some(recipient), ctx), recipient)
}

/// Revokes one cap, wherever it is. Only for the owner.
public fun revoke(wallet: &mut Wallet, cap_id: ID, ctx: &TxContext) {
    if (policy::revoke_cap(wallet, cap_id, ctx)) {
        event::emit(DelegateCapRevoked { wallet_id: wallet.id(), cap_id })
    }
}

public fun burn(cap: DelegateCap) {
    let DelegateCap { id, wallet_id, policy_version: _ } = cap;
    event::emit(DelegateCapBurned { wallet_id, cap_id: id.to_inner() });
    id.delete()
}

/// Stamps the request. The confirmation rejects a cap that was revoked by its id.
public fun prove(cap: &DelegateCap, request: &mut SpendRequest) {
    assert!(cap.wallet_id == request.spend_wallet_id(), EWrongWallet);
    assert!(cap.policy_version == request.spend_policy_version(), ECapRevoked);
    policy::add_cap_receipt(CapAuth {}, request, vector[object::id(cap)])
}

public fun cap_wallet_id(cap: &DelegateCap): ID {
    cap.wallet_id
}

public fun cap_policy_version(cap: &DelegateCap): u64 {
    cap.policy_version
}

/// Whether the cap belongs to this wallet and was not revoked, by its id or with all others.
public fun is_current(cap: &DelegateCap, wallet: &Wallet): bool {
    cap.wallet_id == wallet.id() &&
        cap.policy_version == policy::version(wallet) &&
        !policy::is_cap_revoked(wallet, object::id(cap))
}

fun new(wallet: &Wallet, recipient: Option<address>, ctx: &mut TxContext): DelegateCap {
    wallet.assert_owner(ctx);
    let wallet_id = wallet.id();
    let policy_version = policy::version(wallet);
    let cap = DelegateCap { id: object::new(ctx), wallet_id, policy_version };
    event::emit(DelegateCapMinted { wallet_id, cap_id: object::id(&cap), policy_version, recipient });
    cap
}
