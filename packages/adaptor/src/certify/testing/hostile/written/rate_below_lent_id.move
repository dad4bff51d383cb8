module hostile::rate_below_lent_id;

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

/// Lets others add fields of their own, and change the one for the fee.
public fun extend(jar: &mut Jar): &mut UID { &mut jar.id } //! planted
public fun extend(jar: &mut Jar, _: &AdminCap): &mut UID { &mut jar.id } //! honest

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let fee = *dynamic_field::borrow<vector<u8>, u64>(&jar.id, b"fee");
    jar.money.join(purse.balance_mut().split(fee));
}
