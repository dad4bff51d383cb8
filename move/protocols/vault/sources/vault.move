/// Vaults with shared yield: a deposit buys shares at the current price, and shares are paid from everything
/// that the vault holds. Shares are a coin, so they can be held, sent and traded. All rounding is in favour of
/// the vault.
module vault::vault;

use sui::balance::Balance;
use sui::coin::{Coin, TreasuryCap};
use sui::event;

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// The share coin has been minted already.
const ENotNew: u64 = 1;
/// The vault is seeded with less than `MIN_SEED`.
const ESeedTooSmall: u64 = 2;
/// The payment is zero.
const ENothing: u64 = 3;

/// The shares of the seed stay in the vault forever. An attacker who donates to the vault, so that the next
/// deposit is too small for a share, donates nearly everything to these shares.
const MIN_SEED: u64 = 1_000;

public struct Vault<phantom Asset, phantom Share> has key {
    id: UID,
    assets: Balance<Asset>,
    shares: TreasuryCap<Share>,
    locked: Balance<Share>,
}

public struct Created has copy, drop {
    vault: ID,
    seed: u64,
}

public struct Deposited has copy, drop {
    vault: ID,
    assets: u64,
    shares: u64,
}

public struct Withdrawn has copy, drop {
    vault: ID,
    assets: u64,
    shares: u64,
}

public struct YieldAdded has copy, drop {
    vault: ID,
    assets: u64,
}

/// Shares a new vault, which owns the treasury of its share coin: one share for each base unit of the seed.
public fun create<Asset, Share>(
    mut shares: TreasuryCap<Share>,
    seed: Coin<Asset>,
    ctx: &mut TxContext,
): ID {
    assert!(shares.total_supply() == 0, ENotNew);
    assert!(seed.value() >= MIN_SEED, ESeedTooSmall);
    let locked = shares.mint_balance(seed.value());
    let vault = Vault { id: object::new(ctx), assets: seed.into_balance(), shares, locked };
    let id = object::id(&vault);
    event::emit(Created { vault: id, seed: vault.assets.value() });
    transfer::share_object(vault);
    id
}

public fun deposit<Asset, Share>(
    vault: &mut Vault<Asset, Share>,
    coin: Coin<Asset>,
    min_shares: u64,
    ctx: &mut TxContext,
): Coin<Share> {
    let assets = coin.value();
    assert!(assets > 0, ENothing);
    let shares = mul_div(assets, vault.shares.total_supply(), vault.assets.value());
    assert!(shares > 0 && shares >= min_shares, ETooLittle);
    vault.assets.join(coin.into_balance());
    event::emit(Deposited { vault: object::id(vault), assets, shares });
    vault.shares.mint(shares, ctx)
}

/// Redeems the shares at their current value.
public fun withdraw<Asset, Share>(
    vault: &mut Vault<Asset, Share>,
    coin: Coin<Share>,
    min_assets: u64,
    ctx: &mut TxContext,
): Coin<Asset> {
    let shares = coin.value();
    assert!(shares > 0, ENothing);
    let assets = vault.value_of(shares);
    assert!(assets >= min_assets, ETooLittle);
    vault.shares.burn(coin);
    event::emit(Withdrawn { vault: object::id(vault), assets, shares });
    vault.assets.split(assets).into_coin(ctx)
}

/// Gives the coin to all holders of shares.
public fun add_yield<Asset, Share>(vault: &mut Vault<Asset, Share>, coin: Coin<Asset>) {
    let assets = coin.value();
    assert!(assets > 0, ENothing);
    vault.assets.join(coin.into_balance());
    event::emit(YieldAdded { vault: object::id(vault), assets })
}

/// What `withdraw` would pay for the shares.
public fun value_of<Asset, Share>(vault: &Vault<Asset, Share>, shares: u64): u64 {
    mul_div(shares, vault.assets.value(), vault.shares.total_supply())
}

public fun total_assets<Asset, Share>(vault: &Vault<Asset, Share>): u64 {
    vault.assets.value()
}

/// All shares, including the locked ones.
public fun total_shares<Asset, Share>(vault: &Vault<Asset, Share>): u64 {
    vault.shares.total_supply()
}

/// a * b / c, rounded down; aborts if the result exceeds a u64.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}
