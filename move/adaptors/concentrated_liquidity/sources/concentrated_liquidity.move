/// Keeps a wallet's liquidity in ranges of a pool's prices. A position is an object that the wallet keeps for this
/// service under a name; the owner can reclaim it, and then has it at the pool directly.
///
/// Deposits are taken from the wallet within grants and budgets. Withdrawals use no budget: they go into the
/// wallet, for the owner and for delegates with a budget for this service that have not expired.
module concentrated_liquidity::concentrated_liquidity;

use concentrated::pool::{Pool, Position};
use std::string::String;
use sui::clock::Clock;
use sui::coin::{Self, Coin};
use wallet::delegate;
use wallet::intent::{Self, WalletWitness};
use wallet::wallet::Wallet;

/// The sender may not use this service for the wallet.
const ENotAuthorized: u64 = 0;
/// The minimum is zero.
const ENoMinimum: u64 = 1;
/// The liquidity is below the minimum.
const ETooLittle: u64 = 2;

/// Names this service in the adaptor registry and in wallets' grants.
public struct ConcentratedLiquidity has drop {}

/// Opens a position from tick `lower` to tick `upper` with as much liquidity as `amount_a` and `amount_b` suffice
/// for, which the wallet keeps under `name`. Takes no more of the coins than it needs. `min_liquidity` bounds what
/// a price that moved costs if both amounts are what the position needs at the price that was meant.
public fun open<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B, Reward>,
    name: String,
    lower: u32,
    upper: u32,
    amount_a: u64,
    amount_b: u64,
    min_liquidity: u128,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    let mut position = pool.open(lower, upper, ctx);
    fill(wallet, pool, &mut position, amount_a, amount_b, min_liquidity, clock, ctx);
    wallet.receive_asset_from_service(position, name, ConcentratedLiquidity {})
}

/// Adds to the position what `amount_a` and `amount_b` suffice for; as `open` does.
public fun add<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B, Reward>,
    name: String,
    amount_a: u64,
    amount_b: u64,
    min_liquidity: u128,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let mut position = take(wallet, name, clock, ctx);
    fill(wallet, pool, &mut position, amount_a, amount_b, min_liquidity, clock, ctx);
    wallet.receive_asset_from_service(position, name, ConcentratedLiquidity {})
}

/// Takes liquidity out of the position. One minimum can be zero, for a coin that the range does not contain.
public fun remove<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B, Reward>,
    name: String,
    liquidity: u128,
    min_a: u64,
    min_b: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert!(min_a > 0 || min_b > 0, ENoMinimum);
    let mut position = take(wallet, name, clock, ctx);
    let (a, b) = pool.remove(&mut position, liquidity, min_a, min_b, clock, ctx);
    credit(wallet, a);
    credit(wallet, b);
    wallet.receive_asset_from_service(position, name, ConcentratedLiquidity {})
}

public fun collect_fees<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B, Reward>,
    name: String,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let mut position = take(wallet, name, clock, ctx);
    let (a, b) = pool.collect_fees(&mut position, clock, ctx);
    credit(wallet, a);
    credit(wallet, b);
    wallet.receive_asset_from_service(position, name, ConcentratedLiquidity {})
}

public fun collect_reward<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B, Reward>,
    name: String,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let mut position = take(wallet, name, clock, ctx);
    let reward = pool.collect_reward(&mut position, clock, ctx);
    credit(wallet, reward);
    wallet.receive_asset_from_service(position, name, ConcentratedLiquidity {})
}

/// Deletes an empty position.
public fun close<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &Pool<A, B, Reward>,
    name: String,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let position = take(wallet, name, clock, ctx);
    pool.close(position)
}

fun fill<A, B, Reward>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B, Reward>,
    position: &mut Position,
    amount_a: u64,
    amount_b: u64,
    min_liquidity: u128,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert!(min_liquidity > 0, ENoMinimum);
    let (lower, upper) = position.range();
    let (liquidity, a, b) = pool.quote_add(lower, upper, amount_a, amount_b);
    assert!(liquidity >= min_liquidity, ETooLittle);
    let recipient = object::id_address(pool);
    let (coin_a, paid_a) = pay<A>(wallet, a, recipient, clock, ctx);
    let (coin_b, paid_b) = pay<B>(wallet, b, recipient, clock, ctx);
    // Exactly what the liquidity needs was taken, so nothing comes back.
    let (rest_a, rest_b) = pool.add(position, coin_a, coin_b, min_liquidity, clock, ctx);
    rest_a.destroy_zero();
    rest_b.destroy_zero();
    settle(wallet, paid_a, a, recipient);
    settle(wallet, paid_b, b, recipient)
}

/// Pays nothing of a coin that the range does not contain.
fun pay<CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    recipient: address,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<CoinT>, Option<WalletWitness<ConcentratedLiquidity, CoinT>>) {
    if (amount == 0) return (coin::zero(ctx), option::none());
    let request = intent::request_payment<_, CoinT>(ConcentratedLiquidity {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    (coin, option::some(witness))
}

fun settle<CoinT>(
    wallet: &Wallet,
    paid: Option<WalletWitness<ConcentratedLiquidity, CoinT>>,
    amount: u64,
    recipient: address,
) {
    paid.do!(|witness| {
        let receipt = intent::create_receipt_sig(ConcentratedLiquidity {}, amount, recipient);
        intent::verify_and_clear(wallet, witness, receipt)
    })
}

fun take(wallet: &mut Wallet, name: String, clock: &Clock, ctx: &TxContext): Position {
    assert_authorized(wallet, clock, ctx);
    wallet.take_asset_for_service(name, ConcentratedLiquidity {})
}

fun credit<CoinT>(wallet: &mut Wallet, coin: Coin<CoinT>) {
    if (coin.value() == 0) coin.destroy_zero()
    else wallet.receive_from_service(coin, ConcentratedLiquidity {})
}

fun assert_authorized(wallet: &Wallet, clock: &Clock, ctx: &TxContext) {
    let authorized = delegate::is_service_authorized<ConcentratedLiquidity>(wallet, ctx.sender(), clock);
    assert!(authorized, ENotAuthorized)
}

#[test_only]
public fun witness_for_testing(): ConcentratedLiquidity {
    ConcentratedLiquidity {}
}
