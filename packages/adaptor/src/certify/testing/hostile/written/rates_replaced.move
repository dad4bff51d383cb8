module hostile::rates_replaced;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct AdminCap has key { id: UID }

public struct Rates has drop, store { fee: u64 }

public struct Jar has key { id: UID, money: Balance<SUI>, rates: vector<Rates> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), rates: vector[Rates { fee: 100 }] });
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun rates(fee: u64): Rates { Rates { fee } }

public fun renew(jar: &mut Jar, rates: Rates) { //! planted
public fun renew(jar: &mut Jar, rates: Rates, _: &AdminCap) { //! honest
    jar.rates = vector[rates]
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    jar.money.join(purse.balance_mut().split(jar.rates[0].fee));
}
