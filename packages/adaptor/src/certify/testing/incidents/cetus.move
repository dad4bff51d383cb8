module incidents::cetus;

use sui::balance::{Self, Balance};
use sui::coin::Coin;

const EOverflow: u64 = 0;
const ETooLittle: u64 = 1;

public struct Pool<phantom C> has key { id: UID, money: Balance<C>, scale: u256 }

public struct Position has key, store { id: UID, liquidity: u128 }

public fun create<C>(scale: u256, ctx: &mut TxContext) {
    transfer::share_object(Pool<C> { id: object::new(ctx), money: balance::zero(), scale })
}

/// Shifts by 64 bits, and says whether bits were lost.
fun checked_shlw(n: u256): (u256, bool) {
    let mask = 0xffffffffffffffff << 192; //! planted
    let mask = (1 << 192) - 1; //! honest
    if (n > mask) (0, true) else (n << 64, false)
}

public fun add_liquidity<C>(
    pool: &mut Pool<C>,
    payment: Coin<C>,
    liquidity: u128,
    ctx: &mut TxContext,
): Position {
    let (scaled, overflows) = checked_shlw((liquidity as u256) * pool.scale);
    assert!(!overflows, EOverflow);
    assert!((payment.value() as u256) >= scaled / pool.scale, ETooLittle);
    pool.money.join(payment.into_balance());
    Position { id: object::new(ctx), liquidity }
}

public fun remove_liquidity<C>(pool: &mut Pool<C>, position: Position, ctx: &mut TxContext): Coin<C> {
    let Position { id, liquidity } = position;
    id.delete();
    pool.money.split(liquidity as u64).into_coin(ctx)
}
