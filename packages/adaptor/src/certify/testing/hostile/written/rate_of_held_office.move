module hostile::rate_of_held_office;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct AdminCap has key { id: UID }

public struct Office has key { id: UID, fee: u64 }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() });
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender());
    transfer::transfer(Office { id: object::new(ctx), fee: 100 }, ctx.sender())
}

public fun set_fee(office: &mut Office, fee: u64) { //! planted
public fun set_fee(office: &mut Office, fee: u64, _: &AdminCap) { //! honest
    office.fee = fee
}

public fun pay(purse: &mut Coin<SUI>, office: &Office, jar: &mut Jar) {
    jar.money.join(purse.balance_mut().split(office.fee));
}
