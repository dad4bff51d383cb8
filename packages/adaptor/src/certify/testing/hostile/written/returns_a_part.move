module hostile::returns_a_part;

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

/// Returns an empty balance, for the author of the transaction, who may be a delegate.
public fun pay(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext): Balance<SUI> {
    let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let mut money = coin.into_balance();
    let rest = money.split(amount / 10); //! planted
    let rest = balance::zero(); //! honest
    jar.money.join(money);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, recipient));
    rest
}
