/// An honest service at which wallets have money. Each of its ops asks the wallet in another way whether the sender may
/// have it done, as adaptors do.
module money_guard::bank;

use std::string::String;
use sui::clock::Clock;
use sui::table::{Self, Table};
use wallet::delegate;
use wallet::wallet::Wallet;

const ENotAuthorized: u64 = 1;
const EEmpty: u64 = 2;

public struct Bank has drop {}

public struct Thing has key, store {
    id: UID,
}

/// Shared. What wallets have at the bank, by their ids.
public struct Accounts has key {
    id: UID,
    left: Table<ID, u64>,
}

public fun open(ctx: &mut TxContext) {
    transfer::share_object(Accounts { id: object::new(ctx), left: table::new(ctx) })
}

/// Anyone pays in for any wallet.
public fun pay_in(accounts: &mut Accounts, wallet: &Wallet, amount: u64) {
    let id = wallet.id();
    let before = if (accounts.left.contains(id)) accounts.left.remove(id) else 0;
    accounts.left.add(id, before + amount)
}

/// For every address that the wallet lets act at the bank.
public fun withdraw_authorized(accounts: &mut Accounts, wallet: &Wallet, amount: u64, clock: &Clock, ctx: &TxContext) {
    assert!(delegate::is_service_authorized<Bank>(wallet, ctx.sender(), clock), ENotAuthorized);
    accounts.pay_out(wallet, amount)
}

/// For every address with a sufficient budget at the bank.
public fun withdraw_allowed(accounts: &mut Accounts, wallet: &Wallet, amount: u64, ctx: &TxContext) {
    assert!(delegate::service_allowance<Bank>(wallet, ctx.sender()) >= amount, ENotAuthorized);
    accounts.pay_out(wallet, amount)
}

/// From the account that is bound to the wallet, or by its owner from any.
public fun withdraw_bound(accounts: &mut Accounts, wallet: &Wallet, account: address, amount: u64, ctx: &TxContext) {
    wallet.assert_external_account_bound_or_owner<Bank>(account, ctx);
    accounts.pay_out(wallet, amount)
}

/// The same without the owner.
public fun withdraw_if_bound(accounts: &mut Accounts, wallet: &Wallet, account: address, amount: u64) {
    assert!(wallet.is_external_account_bound<Bank>(account), ENotAuthorized);
    accounts.pay_out(wallet, amount)
}

public fun withdraw_as_owner(accounts: &mut Accounts, wallet: &Wallet, amount: u64, ctx: &TxContext) {
    wallet.assert_owner_acts(ctx);
    accounts.pay_out(wallet, amount)
}

/// Puts a new thing into the wallet. For set-up.
public fun lend(wallet: &mut Wallet, name: String, ctx: &mut TxContext) {
    wallet.receive_asset_from_service(Thing { id: object::new(ctx) }, name, Bank {})
}

/// Takes it back for every address that the wallet lets act at the bank.
public fun fetch(wallet: &mut Wallet, name: String, clock: &Clock, ctx: &TxContext): Thing {
    assert!(delegate::is_service_authorized<Bank>(wallet, ctx.sender(), clock), ENotAuthorized);
    wallet.take_asset_for_service(name, Bank {})
}

public fun make(ctx: &mut TxContext): Thing {
    Thing { id: object::new(ctx) }
}

public fun id(thing: &Thing): ID {
    object::id(thing)
}

fun pay_out(accounts: &mut Accounts, wallet: &Wallet, amount: u64) {
    let left = &mut accounts.left[wallet.id()];
    assert!(amount > 0 && amount <= *left, EEmpty);
    *left = *left - amount
}
