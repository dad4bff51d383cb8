/// Takes a wallet's coins into a pool of flash loans and back. The shares are a coin, so both ways are swaps: the
/// wallet holds either the asset or the share.
module flash_lending::flash_lending;

use flash_pool::flash_pool::Pool;
use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;

/// Names this service in the adaptor registry and in wallets' grants.
public struct FlashLending has drop {}

public fun deposit<Asset, Share>(
    wallet: &mut Wallet,
    pool: &mut Pool<Asset, Share>,
    amount: u64,
    min_shares: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Asset, Share>(FlashLending {}, amount, min_shares);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let shares = pool.deposit(coin, min_shares, ctx);
    let receipt = intent::create_swap_receipt(FlashLending {}, amount, shares.value());
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
    let request = intent::request_swap<_, Share, Asset>(FlashLending {}, shares, min_assets);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let assets = pool.withdraw(coin, min_assets, ctx);
    let receipt = intent::create_swap_receipt(FlashLending {}, shares, assets.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, assets)
}
