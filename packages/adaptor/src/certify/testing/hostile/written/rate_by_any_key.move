module hostile::rate_by_any_key;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field as field;
use sui::sui::SUI;

public struct AdminCap has key { id: UID }

public struct RateKey() has copy, drop, store;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let mut jar = Jar { id: object::new(ctx), money: balance::zero() };
    field::add(&mut jar.id, RateKey(), 100u64);
    transfer::share_object(jar);
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun rate_key(): RateKey { RateKey() }

public fun note<K: copy + drop + store>(jar: &mut Jar, key: K, number: u64) { //! planted
public fun note<K: copy + drop + store>(jar: &mut Jar, key: K, number: u64, _: &AdminCap) { //! honest
    *field::borrow_mut(&mut jar.id, key) = number
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let rate = *field::borrow<RateKey, u64>(&jar.id, RateKey());
    jar.money.join(purse.balance_mut().split(rate));
}
