module hostile::rate_replaced_in_dynamic_field;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::dynamic_field;
use sui::sui::SUI;

public struct AdminCap has key { id: UID }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    let mut jar = Jar { id: object::new(ctx), money: balance::zero() };
    dynamic_field::add(&mut jar.id, b"fee", 100u64);
    transfer::share_object(jar);
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun renew(jar: &mut Jar, fee: u64) { //! planted
public fun renew(jar: &mut Jar, fee: u64, _: &AdminCap) { //! honest
    let _: u64 = dynamic_field::remove(&mut jar.id, b"fee");
    dynamic_field::add(&mut jar.id, b"fee", fee)
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let fee = *dynamic_field::borrow<vector<u8>, u64>(&jar.id, b"fee");
    jar.money.join(purse.balance_mut().split(fee));
}
