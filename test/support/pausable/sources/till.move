/// A till that its keeper can close, and that takes no large amounts if they say so.
module pausable::till;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;

#[error]
const EPaused: vector<u8> = b"The till is closed.";
#[error]
const ETooMuch: vector<u8> = b"The till takes less now.";

public struct Till has drop {}

public struct Drawer<phantom CoinT> has key {
    id: UID,
    /// The most that a payment may be: zero closes the till.
    max: u64,
    paid: Balance<CoinT>,
}

public fun open<CoinT>(ctx: &mut TxContext) {
    let max = 18_446_744_073_709_551_615;
    transfer::share_object(Drawer<CoinT> { id: object::new(ctx), max, paid: balance::zero() })
}

public fun limit<CoinT>(drawer: &mut Drawer<CoinT>, max: u64) {
    drawer.max = max
}

/// Takes `amount` from the wallet.
public fun pay<CoinT>(
    wallet: &mut Wallet,
    drawer: &mut Drawer<CoinT>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert!(drawer.max > 0, EPaused);
    assert!(amount <= drawer.max, ETooMuch);
    let recipient = object::id_address(drawer);
    let request = intent::request_payment<_, CoinT>(Till {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    drawer.paid.join(coin.into_balance());
    let receipt = intent::create_receipt_sig(Till {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt);
}
