/// What the tests of this package share: a wallet with money, services, coins, rules.
#[test_only]
module wallet::fixtures;

use std::type_name;
use std::unit_test::destroy;
use sui::bcs::to_bytes;
use sui::clock::{Self, Clock};
use sui::coin::{Self, Coin};
use sui::event;
use sui::test_scenario::{Self as scenario, Scenario};
use wallet::wallet::{Self, Wallet};

/// Coins.
public struct USD() has drop;
public struct EUR() has drop;

/// Services.
public struct Shop() has drop;
public struct Rival() has drop;

/// An auth rule and two caveats.
public struct Gate() has drop;
public struct Hours() has drop;
public struct Limit() has drop;

/// A type whose name can be made as long as the chain lets it be.
public struct Pair<phantom A, phantom B>() has drop;

/// An asset.
public struct Ticket has key, store { id: UID }

public fun shop(): Shop { Shop() }

public fun rival(): Rival { Rival() }

public fun gate(): Gate { Gate() }

public fun hours(): Hours { Hours() }

public fun limit(): Limit { Limit() }

public macro fun owner(): address { @0xa11ce }

public macro fun agent(): address { @0xa6e47 }

public macro fun stranger(): address { @0x57a46e }

public macro fun shop_address(): address { @0x540b }

/// A transaction of the owner's with an empty wallet that is theirs.
public fun begin_empty(): (Scenario, Wallet) {
    let mut test = scenario::begin(owner!());
    let wallet = wallet::create(test.ctx());
    (test, wallet)
}

/// A wallet that holds 1000 USD, and the owner's next transaction.
public fun begin(): (Scenario, Wallet) {
    let (mut test, mut wallet) = begin_empty();
    wallet.deposit(mint<USD>(1000, &mut test));
    test.next_tx(owner!());
    (test, wallet)
}

/// Another empty wallet, of the sender's.
public fun another_wallet(test: &mut Scenario): Wallet {
    wallet::create(test.ctx())
}

public fun end(test: Scenario, wallet: Wallet) {
    destroy(wallet);
    test.end();
}

public fun clock_at(timestamp_ms: u64, test: &mut Scenario): Clock {
    let mut clock = clock::create_for_testing(test.ctx());
    clock.set_for_testing(timestamp_ms);
    clock
}

public fun mint<CoinT>(amount: u64, test: &mut Scenario): Coin<CoinT> {
    coin::mint_for_testing(amount, test.ctx())
}

/// Takes the coin out of the world, and says how much it was.
public fun burn<CoinT>(coin: Coin<CoinT>): u64 {
    coin.burn_for_testing()
}

public fun ticket(test: &mut Scenario): Ticket {
    Ticket { id: object::new(test.ctx()) }
}

/// BCS of the type's name.
public fun name<T>(): vector<u8> {
    to_bytes(&type_name::with_defining_ids<T>())
}

/// BCS of an option of the type's name that is set.
public fun some_name<T>(): vector<u8> {
    to_bytes(&option::some(type_name::with_defining_ids<T>()))
}

/// BCS of an option that is not.
public fun none(): vector<u8> {
    vector[0]
}

/// In this transaction exactly one event of the type was emitted, and it is these parts one after the other.
public fun assert_event<E: copy + drop>(parts: vector<vector<u8>>) {
    assert_events<E>(vector[parts])
}

/// In this transaction exactly these events of the type were emitted.
public fun assert_events<E: copy + drop>(expected: vector<vector<vector<u8>>>) {
    let emitted = event::events_by_type<E>().map_ref!(|event| to_bytes(event));
    std::unit_test::assert_eq!(emitted, expected.map!(|parts| parts.flatten()));
}
