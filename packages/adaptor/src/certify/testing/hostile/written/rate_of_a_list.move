module hostile::rate_of_a_list;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI>, rate: u64, rates: vector<u64> }

fun init(ctx: &mut TxContext) {
    let rates = vector[100, 200, 100_000];
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), rate: 100, rates })
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let rate = jar.rates[jar.money.value() % jar.rates.length()]; //! planted
    let rate = jar.rate; //! honest
    jar.money.join(purse.balance_mut().split(rate));
}
