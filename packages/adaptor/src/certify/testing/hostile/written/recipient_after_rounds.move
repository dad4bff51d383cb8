module hostile::recipient_after_rounds;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// Returns eight coins of the payment.
public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let (mut first, mut second, mut third) = (ctx.sender(), ctx.sender(), ctx.sender());
    let (mut fourth, mut fifth, mut sixth) = (ctx.sender(), ctx.sender(), ctx.sender());
    let mut round = 0;
    while (round < 8) {
        transfer::public_transfer(money.split(1_000).into_coin(ctx), first);
        first = second;
        second = third;
        third = fourth;
        fourth = fifth;
        fifth = sixth;
        sixth = @0xbad; //! planted
        sixth = ctx.sender(); //! honest
        round = round + 1;
    };
    jar.money.join(money);
}
