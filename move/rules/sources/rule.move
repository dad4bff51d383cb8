/// A policy rule: money goes only to the recipients on the wallet's list.
///
/// A wallet has one active list. A new list retires the one before, so an older and wider list authorizes
/// nothing.
module rules::rule;

use sui::event;
use sui::vec_set::{Self, VecSet};
use wallet::policy::{Self, SpendRequest};
use wallet::wallet::Wallet;

/// The recipient is not on the list.
const ENotAllowed: u64 = 1;
/// The list belongs to another wallet.
const EWrongWallet: u64 = 2;
/// The sender is not the wallet's owner.
const ENotOwner: u64 = 3;
/// The list is not the wallet's active one.
const ENotActive: u64 = 4;
/// The list already contains 256 recipients.
const ETooManyRecipients: u64 = 5;

/// The list has another version than this code: the wallet's owner calls `migrate` of the newest package.
const EWrongVersion: u64 = 6;
/// The list already has this version or a later one.
const EAlreadyNewest: u64 = 7;

/// Increased by each upgrade that must disable the code before it.
const VERSION: u64 = 1;

const MAX_RECIPIENTS: u64 = 256;

/// The caveat. Policies store it under this type.
public struct RecipientAllowlist has drop {}

public struct Allowlist has key {
    id: UID,
    /// The version of the code that may change and use it (`VERSION`).
    version: u64,
    wallet_id: ID,
    allowed: VecSet<address>,
}

public struct AllowlistCreated has copy, drop {
    allowlist_id: ID,
    wallet_id: ID,
}

public struct AllowlistChanged has copy, drop {
    allowlist_id: ID,
    recipient: address,
    allowed: bool,
}

public struct AllowlistRetired has copy, drop {
    allowlist_id: ID,
    wallet_id: ID,
}

/// Shares an empty list and makes it the wallet's active one. The list before is retired. Only for the wallet's
/// owner.
public fun create_and_share(wallet: &mut Wallet, ctx: &mut TxContext): ID {
    assert_owner(wallet, ctx);
    let wallet_id = wallet.id();
    let former = policy::rule_object<RecipientAllowlist>(wallet);
    former.do!(|allowlist_id| event::emit(AllowlistRetired { allowlist_id, wallet_id }));
    let (id, version, allowed) = (object::new(ctx), VERSION, vec_set::empty());
    let list = Allowlist { id, version, wallet_id, allowed };
    let allowlist_id = object::id(&list);
    policy::set_rule_object(RecipientAllowlist {}, wallet, option::some(allowlist_id), ctx);
    event::emit(AllowlistCreated { allowlist_id, wallet_id });
    transfer::share_object(list);
    allowlist_id
}

/// Upgrades the list to the version of this code; older code then aborts. Only for the wallet's owner.
public fun migrate(list: &mut Allowlist, wallet: &Wallet, ctx: &TxContext) {
    list.assert_editor(wallet, ctx);
    assert!(list.version < VERSION, EAlreadyNewest);
    list.version = VERSION
}

/// Adds the recipient to the list; does nothing if it is there. Only for the wallet's owner.
public fun allow(list: &mut Allowlist, recipient: address, wallet: &Wallet, ctx: &TxContext) {
    list.assert_editor(wallet, ctx);
    list.assert_version();
    if (list.is_allowed(recipient)) return;
    assert!(list.allowed.length() < MAX_RECIPIENTS, ETooManyRecipients);
    list.allowed.insert(recipient);
    event::emit(AllowlistChanged { allowlist_id: object::id(list), recipient, allowed: true })
}

/// Removes the recipient from the list; does nothing if it is not there. Only for the wallet's owner.
public fun disallow(list: &mut Allowlist, recipient: address, wallet: &Wallet, ctx: &TxContext) {
    list.assert_editor(wallet, ctx);
    list.assert_version();
    if (!list.is_allowed(recipient)) return;
    list.allowed.remove(&recipient);
    event::emit(AllowlistChanged { allowlist_id: object::id(list), recipient, allowed: false })
}

/// Deletes the list. Without an active list, spends under this rule are refused until the owner makes another.
/// Only for the wallet's owner, at any version of the list.
public fun retire(list: Allowlist, wallet: &mut Wallet, ctx: &TxContext) {
    list.assert_editor(wallet, ctx);
    let allowlist_id = object::id(&list);
    let Allowlist { id, wallet_id, .. } = list;
    if (policy::rule_object<RecipientAllowlist>(wallet) == option::some(allowlist_id)) {
        policy::set_rule_object(RecipientAllowlist {}, wallet, option::none(), ctx);
        event::emit(AllowlistRetired { allowlist_id, wallet_id })
    };
    id.delete()
}

/// Stamps a spend if its recipient is on the wallet's active list.
public fun enforce(list: &Allowlist, request: &mut SpendRequest) {
    list.assert_version();
    assert!(request.spend_wallet_id() == list.wallet_id, EWrongWallet);
    let active = request.spend_rule_object<RecipientAllowlist>();
    assert!(active == option::some(object::id(list)), ENotActive);
    assert!(list.is_allowed(request.spend_recipient()), ENotAllowed);
    policy::add_caveat_receipt(RecipientAllowlist {}, request)
}

public fun is_allowed(list: &Allowlist, recipient: address): bool {
    list.allowed.contains(&recipient)
}

/// The version of the code that may change and use the list.
public fun version(list: &Allowlist): u64 {
    list.version
}

public fun wallet_id(list: &Allowlist): ID {
    list.wallet_id
}

fun assert_editor(list: &Allowlist, wallet: &Wallet, ctx: &TxContext) {
    assert!(list.wallet_id == wallet.id(), EWrongWallet);
    assert_owner(wallet, ctx)
}

fun assert_version(list: &Allowlist) {
    assert!(list.version == VERSION, EWrongVersion)
}

/// Aborts during an action, because the code of an action does not act for the owner.
fun assert_owner(wallet: &Wallet, ctx: &TxContext) {
    assert!(ctx.sender() == wallet.owner(), ENotOwner);
    wallet.assert_owner_acts(ctx)
}

#[test_only]
public fun set_version_for_testing(list: &mut Allowlist, version: u64) {
    list.version = version
}
