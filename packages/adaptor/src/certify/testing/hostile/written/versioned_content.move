module hostile::versioned_content;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;
use sui::versioned::{Self, Versioned};

public struct Content has store { money: Balance<SUI>, rest: Balance<SUI> }

public struct Jar has key { id: UID, content: Versioned }

fun init(ctx: &mut TxContext) {
    let content = versioned::create(1, Content { money: balance::zero(), rest: balance::zero() }, ctx);
    transfer::share_object(Jar { id: object::new(ctx), content })
}

public fun pay(payment: Coin<SUI>, jar: &mut Jar) {
    let content: &mut Content = jar.content.load_value_mut();
    let mut money = payment.into_balance();
    let share = money.value() / 10;
    content.rest.join(money.split(share)); //! planted
    content.money.join(money.split(share)); //! honest
    content.money.join(money);
}
