module hostile::check_in_unread_local;

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
    let may_empty = if (jar.money.value() > 0) is_owner(jar, ctx) else true;
    let _ = may_empty; //! planted
    assert!(may_empty); //! honest
    jar.money.withdraw_all().into_coin(ctx)
}

fun is_owner(jar: &Jar, ctx: &TxContext): bool { jar.owner == ctx.sender() }
