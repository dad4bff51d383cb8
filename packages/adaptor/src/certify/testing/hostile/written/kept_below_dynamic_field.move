module hostile::kept_below_dynamic_field;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_object_field;
use sui::sui::SUI;

public struct Pocket has key, store { id: UID, inner: Balance<SUI> }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let mut jar = Jar { id: object::new(ctx), money: balance::zero() };
    let pocket = Pocket { id: object::new(ctx), inner: balance::zero() };
    dynamic_object_field::add(&mut jar.id, b"pocket", pocket);
    transfer::share_object(jar)
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar) {
    let pocket: &mut Pocket = dynamic_object_field::borrow_mut(&mut jar.id, b"pocket");
    pocket.inner.join(payment.into_balance()); //! planted
    assert!(pocket.inner.value() < 1_000_000_000_000);
    jar.money.join(payment.into_balance()); //! honest
}
