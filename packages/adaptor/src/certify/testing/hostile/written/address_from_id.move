module hostile::address_from_id;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, partner: ID }

fun init(ctx: &mut TxContext) {
    let partner = object::id_from_address(@0xbad);
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), partner })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    let cut = money.split(share);
    transfer::public_transfer(cut.into_coin(ctx), jar.partner.to_address()); //! planted
    jar.money.join(cut); //! honest
    assert!(ctx.epoch() < 1_000_000);
    jar.money.join(money);
}
