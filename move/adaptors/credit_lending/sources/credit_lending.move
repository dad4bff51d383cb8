/// Takes a wallet's coins into a pool of credit lines and back: what the pool does in two steps is one call here.
/// The shares are a coin, so both ways are swaps: the wallet holds either the asset or the share.
module credit_lending::credit_lending;

use credit_pool::credit_pool::Pool;
use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;

/// Names this service in the adaptor registry and in wallets' grants.
public struct CreditLending has drop {}

public fun deposit<Asset, Share>(
    wallet: &mut Wallet,
    pool: &mut Pool<Asset, Share>,
    amount: u64,
    min_shares: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Asset, Share>(CreditLending {}, amount, min_shares);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let deposit = pool.begin_deposit(coin, clock, ctx);
    let shares = pool.finish_deposit(deposit, min_shares);
    let receipt = intent::create_swap_receipt(CreditLending {}, amount, shares.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, shares)
}

public fun withdraw<Share, Asset>(
    wallet: &mut Wallet,
    pool: &mut Pool<Asset, Share>,
    shares: u64,
    min_assets: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Share, Asset>(CreditLending {}, shares, min_assets);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let withdrawal = pool.begin_withdraw(coin, clock);
    let assets = pool.finish_withdraw(withdrawal, min_assets, ctx);
    let receipt = intent::create_swap_receipt(CreditLending {}, shares, assets.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, assets)
}
