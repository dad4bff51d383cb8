module hostile::dropped_list_check;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::vec_set::{Self, VecSet};

public struct Jar has key { id: UID, keepers: VecSet<address>, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let keepers = vec_set::singleton(ctx.sender());
    transfer::share_object(Jar { id: object::new(ctx), keepers, money: balance::zero() })
}

public fun put(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }

public fun empty(jar: &mut Jar, ctx: &mut TxContext): Coin<SUI> {
    jar.keepers.contains(&ctx.sender()); //! planted
    assert!(jar.keepers.contains(&ctx.sender())); //! honest
    jar.money.withdraw_all().into_coin(ctx)
}
