module hostile::version_of_own_object;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

const VERSION: u64 = 1;

public struct AdminCap has key { id: UID }

public struct Version has key, store { id: UID, number: u64 }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender());
    transfer::share_object(Version { id: object::new(ctx), number: VERSION });
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun migrate(_: &AdminCap, version: &mut Version) { version.number = version.number + 1 }

/// A version of the caller's, which no one else can change.
public fun new_version(ctx: &mut TxContext): Version { Version { id: object::new(ctx), number: VERSION } } //! planted

public fun pay(payment: Coin<SUI>, jar: &mut Jar, version: &Version) {
    assert!(version.number == VERSION);
    jar.money.join(payment.into_balance());
}
