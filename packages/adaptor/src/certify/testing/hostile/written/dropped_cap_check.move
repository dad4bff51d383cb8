module hostile::dropped_cap_check;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

/// Opens the jar that it was made with.
public struct Key has key, store { id: UID, jar: ID }

public fun open(ctx: &mut TxContext): Key {
    let jar = Jar { id: object::new(ctx), money: balance::zero() };
    let key = Key { id: object::new(ctx), jar: object::id(&jar) };
    transfer::share_object(jar);
    key
}

public fun put(jar: &mut Jar, money: Coin<SUI>) { jar.money.join(money.into_balance()); }

public fun empty(jar: &mut Jar, key: &Key, ctx: &mut TxContext): Coin<SUI> {
    let _ = fits(key, jar); //! planted
    assert!(fits(key, jar)); //! honest
    jar.money.withdraw_all().into_coin(ctx)
}

public fun fits(key: &Key, jar: &Jar): bool { key.jar == object::id(jar) }
