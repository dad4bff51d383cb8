/// Prices for examples and tests. The holder of the admin cap sets them by hand, independent of any market. Do not
/// use them in a protocol that holds money of value.
///
/// A price is the value of 10^9 base units of a coin, in millionths of a dollar. SUI, of nine decimals, at 3.50
/// dollars is 3,500,000; a dollar of six decimals is 1,000,000,000.
module oracle::prices;

use std::type_name::{Self, TypeName};
use sui::clock::Clock;
use sui::event;
use sui::table::{Self, Table};

/// The coin has no price.
const EUnknown: u64 = 0;
/// The price is too old.
const EStale: u64 = 1;
/// The cap belongs to other prices.
const EWrongCap: u64 = 2;
/// The price is zero.
const EZeroPrice: u64 = 3;

public struct Prices has key {
    id: UID,
    prices: Table<TypeName, Price>,
    /// How long a price is valid.
    max_age_ms: u64,
}

public struct Price has copy, drop, store {
    price: u64,
    set_at_ms: u64,
}

public struct AdminCap has key, store {
    id: UID,
    prices: ID,
}

public struct PriceSet has copy, drop {
    prices: ID,
    coin: TypeName,
    price: u64,
    set_at_ms: u64,
}

/// Shares a new, empty set of prices.
public fun create(max_age_ms: u64, ctx: &mut TxContext): AdminCap {
    let prices = Prices { id: object::new(ctx), prices: table::new(ctx), max_age_ms };
    let id = object::id(&prices);
    transfer::share_object(prices);
    AdminCap { id: object::new(ctx), prices: id }
}

public fun set<CoinT>(prices: &mut Prices, cap: &AdminCap, price: u64, clock: &Clock) {
    assert!(cap.prices == object::id(prices), EWrongCap);
    assert!(price > 0, EZeroPrice);
    let coin = type_name::with_defining_ids<CoinT>();
    let set_at_ms = clock.timestamp_ms();
    if (prices.prices.contains(coin)) { prices.prices.remove(coin); };
    prices.prices.add(coin, Price { price, set_at_ms });
    event::emit(PriceSet { prices: cap.prices, coin, price, set_at_ms })
}

/// The value of 10^9 base units, in millionths of a dollar.
public fun price<CoinT>(prices: &Prices, clock: &Clock): u64 {
    let coin = type_name::with_defining_ids<CoinT>();
    assert!(prices.prices.contains(coin), EUnknown);
    let Price { price, set_at_ms } = prices.prices[coin];
    assert!(clock.timestamp_ms() - set_at_ms <= prices.max_age_ms, EStale);
    price
}
