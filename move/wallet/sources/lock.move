/// The bounds of an open action, in a dynamic field of the wallet: the one service that acts, and for each coin
/// how much it may take and must bring. `wallet::wallet` checks them before anything leaves, and
/// `wallet::action` opens and closes the lock.
///
/// Later versions of this package must use the same key, because older code looks there.
module wallet::lock;

use std::type_name::{Self, TypeName};
use std::u64;
use sui::dynamic_field as field;
use sui::vec_map::{Self, VecMap};

/// An action is open on the wallet.
const EOpen: u64 = 1;
/// The open action belongs to another service.
const EOtherService: u64 = 2;
/// The action may not take this much more of the coin. Without `may_take` it may take none.
const ETakesTooMuch: u64 = 3;
/// The action brought too little of the coin, after what it took of it.
const EBringsTooLittle: u64 = 4;
/// The action already has this bound for the coin.
const EBoundTwice: u64 = 5;
/// The action already names eight coins.
const ETooManyCoins: u64 = 6;
/// The bound is zero.
const EZeroAmount: u64 = 7;

const MAX_COINS: u64 = 8;

public struct Key() has copy, drop, store;

public struct Lock has drop, store {
    service: TypeName,
    coins: VecMap<TypeName, Flow>,
}

/// The bounds of an action for one coin, and what it did.
public struct Flow has drop, store {
    may_take: Option<u64>,
    must_bring: Option<u64>,
    /// Everything that the service took. Putting it back does not reduce this.
    taken: u64,
    /// Everything that the service's witness deposited. It can exceed a u64 if money circulates.
    brought: u128,
}

// === An action ===

public(package) fun open(wallet: &mut UID, service: TypeName) {
    assert_none(wallet);
    field::add(wallet, Key(), Lock { service, coins: vec_map::empty() })
}

public(package) fun may_take(wallet: &mut UID, coin: TypeName, max: u64) {
    let bound = &mut flow_or_new(wallet, coin).may_take;
    assert!(bound.is_none(), EBoundTwice);
    assert!(max > 0, EZeroAmount);
    bound.fill(max)
}

public(package) fun must_bring(wallet: &mut UID, coin: TypeName, min: u64) {
    let bound = &mut flow_or_new(wallet, coin).must_bring;
    assert!(bound.is_none(), EBoundTwice);
    assert!(min > 0, EZeroAmount);
    bound.fill(min)
}

/// Ends the action if it brought everything that it must.
public(package) fun close(wallet: &mut UID): Lock {
    let lock: Lock = field::remove(wallet, Key());
    lock.coins.keys().do!(|coin| {
        let flow = &lock.coins[&coin];
        flow.must_bring.do_ref!(|min| {
            assert!(flow.brought >= (*min as u128) + (flow.taken as u128), EBringsTooLittle)
        })
    });
    lock
}

public(package) fun service(lock: &Lock): TypeName {
    lock.service
}

/// The coins of the action.
public(package) fun coins(lock: &Lock): vector<TypeName> {
    lock.coins.keys()
}

/// The amount taken of each coin, in the same order.
public(package) fun taken(lock: &Lock): vector<u64> {
    lock.coins.keys().map!(|coin| lock.coins[&coin].taken)
}

/// The amount that the service's witness deposited of each coin: u64::MAX means this or more.
public(package) fun brought(lock: &Lock): vector<u64> {
    let max = u64::max_value!() as u128;
    lock.coins.keys().map!(|coin| lock.coins[&coin].brought.min(max) as u64)
}

// === For the wallet ===

public(package) fun is_open(wallet: &UID): bool {
    field::exists_with_type<_, Lock>(wallet, Key())
}

/// Whether the service may act: no action is open, or one of this service.
public(package) fun lets<ServiceT>(wallet: &UID): bool {
    !is_open(wallet) || lock(wallet).service == type_name::with_defining_ids<ServiceT>()
}

public(package) fun assert_none(wallet: &UID) {
    assert!(!is_open(wallet), EOpen)
}

public(package) fun assert_lets<ServiceT>(wallet: &UID) {
    assert!(lets<ServiceT>(wallet), EOtherService)
}

/// Records that the service takes `amount` of the coin.
public(package) fun take<ServiceT>(wallet: &mut UID, coin: &TypeName, amount: u64) {
    if (!is_open(wallet)) return;
    assert_lets<ServiceT>(wallet);
    let coins = &mut lock_mut(wallet).coins;
    assert!(coins.contains(coin), ETakesTooMuch);
    let flow = &mut coins[coin];
    assert!(amount <= flow.may_take.destroy_or!(0) - flow.taken, ETakesTooMuch);
    flow.taken = flow.taken + amount
}

/// Records that the service's witness deposited `amount` of the coin.
public(package) fun bring<ServiceT>(wallet: &mut UID, coin: &TypeName, amount: u64) {
    if (!is_open(wallet) || !lets<ServiceT>(wallet)) return;
    let coins = &mut lock_mut(wallet).coins;
    if (!coins.contains(coin)) return;
    let flow = &mut coins[coin];
    flow.brought = flow.brought + (amount as u128)
}

// === Inside ===

fun lock(wallet: &UID): &Lock {
    field::borrow(wallet, Key())
}

fun lock_mut(wallet: &mut UID): &mut Lock {
    field::borrow_mut(wallet, Key())
}

fun flow_or_new(wallet: &mut UID, coin: TypeName): &mut Flow {
    let coins = &mut lock_mut(wallet).coins;
    if (!coins.contains(&coin)) {
        assert!(coins.length() < MAX_COINS, ETooManyCoins);
        let (may_take, must_bring) = (option::none(), option::none());
        coins.insert(coin, Flow { may_take, must_bring, taken: 0, brought: 0 });
    };
    &mut coins[&coin]
}
