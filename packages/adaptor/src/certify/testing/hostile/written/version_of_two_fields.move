module hostile::version_of_two_fields;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

const VERSION: u64 = 1;

public struct AdminCap has key { id: UID }

public struct Jar has key { id: UID, version: u64, latest: u64, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender());
    transfer::share_object(Jar { id: object::new(ctx), version: VERSION, latest: VERSION, money: balance::zero() })
}

public fun migrate(_: &AdminCap, jar: &mut Jar) {
    jar.latest = jar.latest + 1;
    jar.version = jar.latest
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar) {
    assert!(jar.version == jar.latest); //! planted
    assert!(jar.version == VERSION); //! honest
    jar.money.join(payment.into_balance());
}
