/// Takes a coin out and hands it to the transaction, for whatever its manifest then does with it. What must be handed back
/// ends the payment, and brings nothing.
module stranger::relay;

use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, WalletWitness};
use wallet::wallet::Wallet;

public struct Relay has drop {}

public struct Order<phantom CoinT> {
    amount: u64,
    witness: WalletWitness<Relay, CoinT>,
}

public fun begin<CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<CoinT>, Order<CoinT>) {
    let request = intent::request_payment<_, CoinT>(Relay {}, amount, @stranger);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    (coin, Order { amount, witness })
}

/// The same under another name, so that each of the ops that begin so has a name of its own.
public fun start<CoinT>(
    wallet: &mut Wallet,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<CoinT>, Order<CoinT>) {
    begin(wallet, amount, clock, ctx)
}

public fun finish<CoinT>(wallet: &Wallet, order: Order<CoinT>) {
    let Order { amount, witness } = order;
    let receipt = intent::create_receipt_sig(Relay {}, amount, @stranger);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Ends the payment with the coin itself, as an honest adaptor that found nothing to do.
public fun give_back<CoinT>(wallet: &mut Wallet, order: Order<CoinT>, coin: Coin<CoinT>) {
    finish(wallet, order);
    wallet.receive_from_service(coin, Relay {})
}

/// Names of ops whose calls go elsewhere.
public fun withdraw() {}

public fun allow() {}

public fun reopen() {}
