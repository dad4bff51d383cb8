module hostile::rates_of_any_type;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field as field;
use sui::sui::SUI;

public struct AdminCap has key { id: UID }

public struct Rates has drop, store { fee: u64 }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let mut jar = Jar { id: object::new(ctx), money: balance::zero() };
    field::add(&mut jar.id, 0u8, rates(100));
    transfer::share_object(jar);
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun rates(fee: u64): Rates { Rates { fee } }

public fun put<V: drop + store>(jar: &mut Jar, value: V) { //! planted
public fun put<V: drop + store>(jar: &mut Jar, value: V, _: &AdminCap) { //! honest
    *field::borrow_mut(&mut jar.id, 0u8) = value
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let fee = field::borrow<u8, Rates>(&jar.id, 0).fee;
    jar.money.join(purse.balance_mut().split(fee));
}
