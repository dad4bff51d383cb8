module hostile::burns_shares;

use sui::balance::{Self, Balance, Supply};
use sui::coin::Coin;

public struct Share has drop {}

public struct Jar has key { id: UID, locked: Balance<Share>, supply: Supply<Share> }

fun init(ctx: &mut TxContext) {
    let mut supply = balance::create_supply(Share {});
    let first = supply.increase_supply(1_000_000);
    first.send_funds(ctx.sender());
    transfer::share_object(Jar { id: object::new(ctx), locked: balance::zero(), supply })
}

public fun lock(shares: Coin<Share>, jar: &mut Jar) {
    jar.supply.decrease_supply(shares.into_balance()); //! planted
    jar.locked.join(shares.into_balance()); //! honest
}
