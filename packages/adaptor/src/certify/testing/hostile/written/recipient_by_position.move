module hostile::recipient_by_position;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, round: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), round: 0 })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let everyone = vector[ctx.sender(), ctx.sender(), @0xbad]; //! planted
    let everyone = vector[ctx.sender(), ctx.sender(), ctx.sender()]; //! honest
    jar.round = jar.round + 1;
    let mut money = payment.into_balance();
    let change = money.value() / 10;
    transfer::public_transfer(money.split(change).into_coin(ctx), everyone[jar.round % 3]);
    jar.money.join(money);
}
