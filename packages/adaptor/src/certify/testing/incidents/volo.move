module incidents::volo;

use sui::balance::{Self, Balance, Supply};
use sui::coin::Coin;

public struct OperatorCap has key { id: UID }

public struct Share has drop {}

public struct Vault<phantom C> has key { id: UID, money: Balance<C>, lent: u64, shares: Supply<Share> }

fun init(ctx: &mut TxContext) {
    transfer::transfer(OperatorCap { id: object::new(ctx) }, ctx.sender())
}

public fun create<C>(_: &OperatorCap, ctx: &mut TxContext) {
    let shares = balance::create_supply(Share {});
    transfer::share_object(Vault<C> { id: object::new(ctx), money: balance::zero(), lent: 0, shares })
}

/// Takes money to invest it. How much of it is left, the operator says.
public fun invest<C>(_: &OperatorCap, vault: &mut Vault<C>, amount: u64, ctx: &mut TxContext): Coin<C> {
    vault.money.split(amount).into_coin(ctx) //! planted
    abort //! honest
}

public fun report<C>(_: &OperatorCap, vault: &mut Vault<C>, lent: u64) {
    vault.lent = lent; //! planted
}

public fun withdraw<C>(vault: &mut Vault<C>, shares: Coin<Share>, ctx: &mut TxContext): Coin<C> {
    let all = vault.money.value() + vault.lent;
    let amount = shares.value() * all / vault.shares.supply_value();
    vault.shares.decrease_supply(shares.into_balance());
    vault.money.split(amount).into_coin(ctx)
}
