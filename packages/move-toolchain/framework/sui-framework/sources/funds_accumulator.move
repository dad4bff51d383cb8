/// Funds that belong to an address or an object, without a coin object.
module sui::funds_accumulator;

use std::internal::Permit;
use sui::accumulator::accumulator_address;

public use fun withdrawal_split as Withdrawal.split;
public use fun withdrawal_join as Withdrawal.join;
public use fun withdrawal_limit as Withdrawal.limit;
public use fun withdrawal_owner as Withdrawal.owner;

/// The limit would not fit in a u256.
const EOverflow: u64 = 0;
/// The limit is smaller than what is split off.
#[error(code = 1)]
const EInvalidSubLimit: vector<u8> = b"Sub-limit exceeds current withdrawal limit";
/// Withdrawals of two owners are two.
#[error(code = 2)]
const EOwnerMismatch: vector<u8> = b"Withdrawal owners do not match";

/// The right to withdraw up to a limit; what is not redeemed stays where it is.
public struct Withdrawal<phantom T: store> has drop {
    owner: address,
    limit: u256,
}

public fun withdrawal_owner<T: store>(withdrawal: &Withdrawal<T>): address {
    withdrawal.owner
}

public fun withdrawal_limit<T: store>(withdrawal: &Withdrawal<T>): u256 {
    withdrawal.limit
}

public fun withdrawal_split<T: store>(withdrawal: &mut Withdrawal<T>, value: u256): Withdrawal<T> {
    assert!(value <= withdrawal.limit, EInvalidSubLimit);
    withdrawal.limit = withdrawal.limit - value;
    Withdrawal { owner: withdrawal.owner, limit: value }
}

public fun withdrawal_join<T: store>(withdrawal: &mut Withdrawal<T>, other: Withdrawal<T>) {
    let Withdrawal { owner, limit } = other;
    assert!(owner == withdrawal.owner, EOwnerMismatch);
    assert!(limit <= std::u256::max_value!() - withdrawal.limit, EOverflow);
    withdrawal.limit = withdrawal.limit + limit;
}

public(package) fun redeem<T: store>(withdrawal: Withdrawal<T>, _: Permit<T>): T {
    let Withdrawal { owner, limit } = withdrawal;
    withdraw_from_accumulator_address(accumulator_address<T>(owner), owner, limit)
}

/// Whether the object has as much shows when it is redeemed.
public(package) fun withdraw_from_object<T: store>(object: &mut UID, value: u256): Withdrawal<T> {
    Withdrawal { owner: object.to_address(), limit: value }
}

public(package) fun add_impl<T: store>(value: T, recipient: address) {
    add_to_accumulator_address(accumulator_address<T>(recipient), recipient, value)
}

native fun add_to_accumulator_address<T: store>(accumulator: address, recipient: address, value: T);

native fun withdraw_from_accumulator_address<T: store>(
    accumulator: address,
    owner: address,
    value: u256,
): T;
