module hostile::lends_its_id;

use sui::balance::Balance;
use sui::coin::Coin;
use sui::dynamic_field;
use sui::sui::SUI;

public struct Jar has key { id: UID }

fun init(ctx: &mut TxContext) { transfer::share_object(Jar { id: object::new(ctx) }) }

public fun put(payment: Coin<SUI>, jar: &mut Jar) {
    dynamic_field::add(&mut jar.id, b"money", payment.into_balance())
}

public fun money(jar: &Jar): u64 { dynamic_field::borrow<vector<u8>, Balance<SUI>>(&jar.id, b"money").value() }

/// With it anyone removes the money.
public fun extend(jar: &mut Jar): &mut UID { &mut jar.id } //! planted
public fun extend(jar: &Jar): &UID { &jar.id } //! honest
