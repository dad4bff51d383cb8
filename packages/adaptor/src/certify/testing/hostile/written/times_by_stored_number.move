module hostile::times_by_stored_number;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, times: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), times: 1 })
}

public fun set_times(jar: &mut Jar, times: u64) { jar.times = times }

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let times = jar.times; //! planted
    let times = 1; //! honest
    let mut paid = 0;
    while (paid < times) {
        jar.money.join(purse.balance_mut().split(100));
        paid = paid + 1;
    }
}
