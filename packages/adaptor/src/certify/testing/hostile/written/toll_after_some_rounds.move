module hostile::toll_after_some_rounds;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct AdminCap has key { id: UID }

public struct Jar has key { id: UID, money: Balance<SUI>, has_toll: bool }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), has_toll: false });
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun set_toll(jar: &mut Jar, has_toll: bool) { //! planted
public fun set_toll(jar: &mut Jar, has_toll: bool, _: &AdminCap) { //! honest
    jar.has_toll = has_toll
}

public fun pay(purse: &mut Coin<SUI>, jar: &mut Jar) {
    let (mut now, mut next, mut later) = (false, false, false);
    let mut rate = 0;
    let mut rounds = 0;
    while (rounds < 4) {
        if (now == { now = next; true }) rate = 100;
        next = later;
        later = jar.has_toll;
        rounds = rounds + 1;
    };
    jar.money.join(purse.balance_mut().split(rate));
}
