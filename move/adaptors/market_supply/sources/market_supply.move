/// Supplies a wallet's coins to a market and brings them back with their rewards. The wallet keeps its position as an
/// asset of this service, one for each market: the owner can reclaim it and deal with the market alone.
module market_supply::market_supply;

use std::string::String;
use sui::clock::Clock;
use supply_market::supply_market::{Market, Position};
use wallet::delegate;
use wallet::intent;
use wallet::wallet::Wallet;

/// The sender may not use this service for the wallet.
const ENotAuthorized: u64 = 0;

/// Names this service in the adaptor registry and in wallets' grants.
public struct MarketSupply has drop {}

/// Call this once for each wallet and market, before everything else.
public fun open_position<CoinT>(
    wallet: &mut Wallet,
    market: &Market<CoinT>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    put(wallet, market, market.open(ctx))
}

public fun supply<CoinT>(
    wallet: &mut Wallet,
    market: &mut Market<CoinT>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let recipient = object::id_address(market);
    let request = intent::request_payment<_, CoinT>(MarketSupply {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let mut position = take(wallet, market);
    market.supply(&mut position, coin, clock);
    put(wallet, market, position);
    let receipt = intent::create_receipt_sig(MarketSupply {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Brings `amount`, or all that is supplied if that is less, and all rewards back into the wallet, no less than
/// `min_out` together. For the owner, and for delegates with a budget for this service that have not expired.
public fun withdraw<CoinT>(
    wallet: &mut Wallet,
    market: &mut Market<CoinT>,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    let mut position = take(wallet, market);
    let coin = market.withdraw(&mut position, amount, min_out, clock, ctx);
    put(wallet, market, position);
    wallet.receive_from_service(coin, MarketSupply {})
}

fun assert_authorized(wallet: &Wallet, clock: &Clock, ctx: &TxContext) {
    let authorized = delegate::is_service_authorized<MarketSupply>(wallet, ctx.sender(), clock);
    assert!(authorized, ENotAuthorized)
}

fun take<CoinT>(wallet: &mut Wallet, market: &Market<CoinT>): Position {
    wallet.take_asset_for_service(name_of(market), MarketSupply {})
}

fun put<CoinT>(wallet: &mut Wallet, market: &Market<CoinT>, position: Position) {
    wallet.receive_asset_from_service(position, name_of(market), MarketSupply {})
}

/// The name of the position in the wallet: the market's id, in hex.
fun name_of<CoinT>(market: &Market<CoinT>): String {
    object::id_address(market).to_string()
}
