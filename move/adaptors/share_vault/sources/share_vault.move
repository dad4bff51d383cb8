/// A vault whose yield is shared: a deposit buys shares at the price of the day, and shares are paid out of
/// all that the vault holds then.
module share_vault::share_vault;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::event;
use sui::sui::SUI;

/// The deposit would buy fewer shares than the depositor takes.
const ETooFewShares: u64 = 0;
/// The position belongs to another vault.
const EWrongVault: u64 = 1;

/// Counted beside the real ones, so that the first depositor cannot make a share so dear (by giving to the
/// vault) that what others deposit rounds down to none.
const VIRTUAL_SHARES: u128 = 1_000;
const VIRTUAL_ASSETS: u128 = 1;

/// Names this service in the adaptor registry.
public struct ShareVault has drop {}

public struct Vault has key {
    id: UID,
    assets: Balance<SUI>,
    shares: u128,
}

/// Shares of one vault.
public struct Position has key, store {
    id: UID,
    vault: ID,
    shares: u128,
}

public struct Deposited has copy, drop {
    vault: ID,
    amount: u64,
    shares: u128,
}

public struct Withdrawn has copy, drop {
    vault: ID,
    amount: u64,
    shares: u128,
}

public fun create(ctx: &mut TxContext) {
    transfer::share_object(Vault { id: object::new(ctx), assets: balance::zero(), shares: 0 })
}

public fun deposit(vault: &mut Vault, coin: Coin<SUI>, min_shares: u128, ctx: &mut TxContext): Position {
    let amount = coin.value();
    let price_assets = (vault.assets.value() as u128) + VIRTUAL_ASSETS;
    let price_shares = vault.shares + VIRTUAL_SHARES;
    let shares = mul_div(amount as u128, price_shares, price_assets);
    assert!(shares > 0 && shares >= min_shares, ETooFewShares);
    vault.assets.join(coin.into_balance());
    vault.shares = vault.shares + shares;
    let id = object::id(vault);
    event::emit(Deposited { vault: id, amount, shares });
    Position { id: object::new(ctx), vault: id, shares }
}

/// What the position is worth now.
public fun withdraw(vault: &mut Vault, position: Position, ctx: &mut TxContext): Coin<SUI> {
    let amount = vault.value_of(&position);
    let Position { id, vault: vault_id, shares } = position;
    id.delete();
    vault.shares = vault.shares - shares;
    event::emit(Withdrawn { vault: vault_id, amount, shares });
    vault.assets.split(amount).into_coin(ctx)
}

/// Gives to all who hold shares.
public fun add_yield(vault: &mut Vault, coin: Coin<SUI>) {
    vault.assets.join(coin.into_balance());
}

/// What `withdraw` would pay for the position, in MIST.
public fun value_of(vault: &Vault, position: &Position): u64 {
    assert!(position.vault == object::id(vault), EWrongVault);
    let price_assets = (vault.assets.value() as u128) + VIRTUAL_ASSETS;
    mul_div(position.shares, price_assets, vault.shares + VIRTUAL_SHARES) as u64
}

public fun total_assets(vault: &Vault): u64 {
    vault.assets.value()
}

public fun total_shares(vault: &Vault): u128 {
    vault.shares
}

public fun shares(position: &Position): u128 {
    position.shares
}

/// a * b / c, rounded down: always in favour of the vault.
fun mul_div(a: u128, b: u128, c: u128): u128 {
    ((a as u256) * (b as u256) / (c as u256)) as u128
}
