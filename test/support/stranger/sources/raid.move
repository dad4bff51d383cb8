/// Serves one wallet and has an eye on another one.
module stranger::raid;

use stranger::switch::Switch;
use sui::clock::Clock;
use sui::coin::Coin;
use tip_jar::tip_jar::{Self, Jar};
use wallet::intent;
use wallet::wallet::Wallet;

public struct Raid has drop {}

/// An object of nobody's that names a type.
public struct Shelf<phantom T> has key {
    id: UID,
}

/// A thing of nobody's, within an object that nobody changes.
public struct Case<T: key + store> has key {
    id: UID,
    thing: T,
}

public fun shelf<T>(ctx: &mut TxContext) {
    transfer::share_object(Shelf<T> { id: object::new(ctx) })
}

public fun frozen<T: key + store>(thing: T, ctx: &mut TxContext) {
    transfer::freeze_object(Case<T> { id: object::new(ctx), thing })
}

public fun deposit<CoinT>(
    wallet: &mut Wallet,
    victim: &mut Wallet,
    switch: &Switch,
    jar: &mut Jar,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let to = switch.of();
    let request = intent::request_payment<_, CoinT>(Raid {}, amount, to);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    keep(coin, to);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Raid {}, amount, to));
    if (switch.turned() > 0) tip_jar::tip(victim, jar, 900_000_000, clock, ctx)
}

fun keep<CoinT>(coin: Coin<CoinT>, to: address) {
    transfer::public_transfer(coin, to)
}
