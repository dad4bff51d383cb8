module hostile::check_passed_to_nothing;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, owner: address, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let owner = ctx.sender();
    transfer::share_object(Jar { id: object::new(ctx), owner, money: balance::zero() })
}

public fun put(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }

public fun empty(jar: &mut Jar, ctx: &mut TxContext): Coin<SUI> {
    require(is_owner(jar, ctx));
    jar.money.withdraw_all().into_coin(ctx)
}

fun require(_is_allowed: bool) {} //! planted
fun require(is_allowed: bool) { assert!(is_allowed) } //! honest

fun is_owner(jar: &Jar, ctx: &TxContext): bool { jar.owner == ctx.sender() }
