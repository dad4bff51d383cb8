/// Supplies a wallet's coins to money markets and brings them back. The wallet keeps the cap of its account there as
/// an asset of this service, one for all markets: the owner can reclaim it and deal with the markets alone.
module account_lending::account_lending;

use money_market::money_market::{Self, AccountCap, Market};
use sui::clock::Clock;
use wallet::delegate;
use wallet::intent;
use wallet::wallet::Wallet;

/// The sender may not use this service for the wallet.
const ENotAuthorized: u64 = 0;

/// The name of the cap in the wallet.
const CAP: vector<u8> = b"money market account";

/// Names this service in the adaptor registry and in wallets' grants.
public struct AccountLending has drop {}

/// Call this once for each wallet, before everything else.
public fun open_account(wallet: &mut Wallet, clock: &Clock, ctx: &mut TxContext) {
    assert_authorized(wallet, clock, ctx);
    put(wallet, money_market::open_account(ctx))
}

public fun deposit<Asset, Collateral>(
    wallet: &mut Wallet,
    market: &mut Market<Asset, Collateral>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let recipient = object::id_address(market);
    let request = intent::request_payment<_, Asset>(AccountLending {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let cap = take(wallet);
    market.supply(&cap, coin, clock);
    put(wallet, cap);
    let receipt = intent::create_receipt_sig(AccountLending {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Brings `amount` back into the wallet, or the whole supply if it is less, but at least `min_out`. For the
/// owner, and for delegates with a budget for this service that have not expired.
public fun withdraw<Asset, Collateral>(
    wallet: &mut Wallet,
    market: &mut Market<Asset, Collateral>,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    let cap = take(wallet);
    let coin = market.withdraw(&cap, amount, min_out, clock, ctx);
    put(wallet, cap);
    wallet.receive_from_service(coin, AccountLending {})
}

fun assert_authorized(wallet: &Wallet, clock: &Clock, ctx: &TxContext) {
    let authorized = delegate::is_service_authorized<AccountLending>(wallet, ctx.sender(), clock);
    assert!(authorized, ENotAuthorized)
}

fun take(wallet: &mut Wallet): AccountCap {
    wallet.take_asset_for_service(CAP.to_string(), AccountLending {})
}

fun put(wallet: &mut Wallet, cap: AccountCap) {
    wallet.receive_asset_from_service(cap, CAP.to_string(), AccountLending {})
}
