/// Swaps a wallet's coins in a pool: the coin goes out and the proceeds come in within one call.
module pool_swap::pool_swap;

use pool::pool::Pool;
use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;

/// Names this service in the adaptor registry and in wallets' grants.
public struct PoolSwap has drop {}

public fun swap_a_to_b<A, B>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B>,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, A, B>(PoolSwap {}, amount, min_out);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let bought = pool.swap_a_to_b(coin, min_out, ctx);
    let receipt = intent::create_swap_receipt(PoolSwap {}, amount, bought.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, bought)
}

public fun swap_b_to_a<A, B>(
    wallet: &mut Wallet,
    pool: &mut Pool<A, B>,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, B, A>(PoolSwap {}, amount, min_out);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let bought = pool.swap_b_to_a(coin, min_out, ctx);
    let receipt = intent::create_swap_receipt(PoolSwap {}, amount, bought.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, bought)
}
