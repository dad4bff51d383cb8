/// Amounts of a coin, without an identity of their own.
module sui::balance;

use sui::accumulator::AccumulatorRoot;
use sui::funds_accumulator::{Self, Withdrawal};

public use fun sui::coin::from_balance as Balance.into_coin;
public use fun supply_value as Supply.value;

/// Only a zero balance can be destroyed.
const ENonZero: u64 = 0;
/// The supply would not fit in a u64.
const EOverflow: u64 = 1;
/// The balance is smaller than what is taken from it.
const ENotEnough: u64 = 2;

public struct Supply<phantom T> has store {
    value: u64,
}

public struct Balance<phantom T> has store {
    value: u64,
}

public fun value<T>(self: &Balance<T>): u64 {
    self.value
}

public fun supply_value<T>(supply: &Supply<T>): u64 {
    supply.value
}

public fun create_supply<T: drop>(_: T): Supply<T> {
    Supply { value: 0 }
}

public fun increase_supply<T>(self: &mut Supply<T>, value: u64): Balance<T> {
    assert!(value <= std::u64::max_value!() - self.value, EOverflow);
    self.value = self.value + value;
    Balance { value }
}

public fun decrease_supply<T>(self: &mut Supply<T>, balance: Balance<T>): u64 {
    let Balance { value } = balance;
    assert!(value <= self.value, EOverflow);
    self.value = self.value - value;
    value
}

public fun zero<T>(): Balance<T> {
    Balance { value: 0 }
}

/// The sum, after the join.
public fun join<T>(self: &mut Balance<T>, balance: Balance<T>): u64 {
    let Balance { value } = balance;
    self.value = self.value + value;
    self.value
}

public fun split<T>(self: &mut Balance<T>, value: u64): Balance<T> {
    assert!(value <= self.value, ENotEnough);
    self.value = self.value - value;
    Balance { value }
}

public fun withdraw_all<T>(self: &mut Balance<T>): Balance<T> {
    let all = self.value;
    self.split(all)
}

public fun destroy_zero<T>(balance: Balance<T>) {
    assert!(balance.value == 0, ENonZero);
    let Balance { value: _ } = balance;
}

/// Adds a balance to the funds of an address.
public fun send_funds<T>(balance: Balance<T>, recipient: address) {
    funds_accumulator::add_impl(balance, recipient)
}

public fun redeem_funds<T>(withdrawal: Withdrawal<Balance<T>>): Balance<T> {
    withdrawal.redeem(std::internal::permit())
}

public fun withdraw_funds_from_object<T>(obj: &mut UID, value: u64): Withdrawal<Balance<T>> {
    funds_accumulator::withdraw_from_object(obj, value as u256)
}

/// What the address had when the checkpoint began, as far as a u64 holds it.
public fun settled_funds_value<T>(root: &AccumulatorRoot, address: address): u64 {
    root.u128_or_zero<Balance<T>>(address).min(std::u64::max_value!() as u128) as u64
}

/// For modules that make sure of one supply for each type in another way.
public(package) fun create_supply_internal<T>(): Supply<T> {
    Supply { value: 0 }
}

public(package) fun destroy_supply<T>(self: Supply<T>): u64 {
    let Supply { value } = self;
    value
}

#[test_only]
public fun create_for_testing<T>(value: u64): Balance<T> {
    Balance { value }
}

#[test_only]
public fun destroy_for_testing<T>(self: Balance<T>): u64 {
    let Balance { value } = self;
    value
}

#[test_only]
public fun create_supply_for_testing<T>(): Supply<T> {
    Supply { value: 0 }
}
