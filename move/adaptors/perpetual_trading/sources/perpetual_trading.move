/// Trades perpetual positions with a wallet's margin. The wallet keeps the cap of its account for this service, one
/// for each market, under the market's id; the owner can reclaim it, and then has the account at the market directly.
///
/// Margin is taken from the wallet within grants and budgets. The rest takes no budget and is for the owner and for
/// delegates with a budget for this service that have not expired: they can lose the margin at most.
module perpetual_trading::perpetual_trading;

use oracle::prices::Prices;
use perpetuals::perpetuals::{AccountCap, Market};
use std::string::String;
use sui::clock::Clock;
use wallet::delegate;
use wallet::intent;
use wallet::wallet::Wallet;

/// The sender may not use this service for the wallet.
const ENotAuthorized: u64 = 0;

/// Names this service in the adaptor registry and in wallets' grants.
public struct PerpetualTrading has drop {}

public fun open_account<Base, Quote>(
    wallet: &mut Wallet,
    market: &mut Market<Base, Quote>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    let cap = market.open_account(ctx);
    keep(wallet, market, cap)
}

public fun deposit_margin<Base, Quote>(
    wallet: &mut Wallet,
    market: &mut Market<Base, Quote>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let cap = take(wallet, market, clock, ctx);
    let recipient = object::id_address(market);
    let request = intent::request_payment<_, Quote>(PerpetualTrading {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    market.deposit(&cap, coin);
    keep(wallet, market, cap);
    let receipt = intent::create_receipt_sig(PerpetualTrading {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Brings margin back into the wallet.
public fun withdraw_margin<Base, Quote>(
    wallet: &mut Wallet,
    market: &mut Market<Base, Quote>,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let cap = take(wallet, market, clock, ctx);
    let coin = market.withdraw(&cap, prices, amount, clock, ctx);
    wallet.receive_from_service(coin, PerpetualTrading {});
    keep(wallet, market, cap)
}

/// Buys (`long`) or sells `size` base units at the oracle's price, which must be at most (at least) `limit`, in
/// quote units for 10^9 base units.
public fun order<Base, Quote>(
    wallet: &mut Wallet,
    market: &mut Market<Base, Quote>,
    prices: &Prices,
    long: bool,
    size: u64,
    limit: u64,
    reduce_only: bool,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let cap = take(wallet, market, clock, ctx);
    market.order(&cap, prices, long, size, limit, reduce_only, clock);
    keep(wallet, market, cap)
}

/// Ends an account without margin and position.
public fun close_account<Base, Quote>(
    wallet: &mut Wallet,
    market: &mut Market<Base, Quote>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let cap = take(wallet, market, clock, ctx);
    market.close_account(cap)
}

/// The key of the account's cap in the wallet: the market's id in hex.
public fun name<Base, Quote>(market: &Market<Base, Quote>): String {
    object::id_address(market).to_string()
}

fun take<Base, Quote>(
    wallet: &mut Wallet,
    market: &Market<Base, Quote>,
    clock: &Clock,
    ctx: &TxContext,
): AccountCap {
    assert_authorized(wallet, clock, ctx);
    wallet.take_asset_for_service(name(market), PerpetualTrading {})
}

fun keep<Base, Quote>(wallet: &mut Wallet, market: &Market<Base, Quote>, cap: AccountCap) {
    wallet.receive_asset_from_service(cap, name(market), PerpetualTrading {})
}

fun assert_authorized(wallet: &Wallet, clock: &Clock, ctx: &TxContext) {
    assert!(delegate::is_service_authorized<PerpetualTrading>(wallet, ctx.sender(), clock), ENotAuthorized)
}
