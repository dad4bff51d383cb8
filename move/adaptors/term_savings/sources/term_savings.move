/// Savings for a fixed term. The interest of each deposit is set aside from a funded reserve as it is made,
/// so that it is there when the term is over; who leaves earlier gets the principal alone.
module term_savings::term_savings;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::sui::SUI;
use sui::table::{Self, Table};

/// The sender has a deposit; it must be withdrawn first.
const EAlreadyDeposited: u64 = 0;
/// The sender has no deposit.
const ENoDeposit: u64 = 1;
/// The reserve cannot pay the interest of this deposit.
const EReserveTooSmall: u64 = 2;
/// A deposit of nothing.
const ENothing: u64 = 3;

const BPS: u128 = 10_000;

/// Names this service in the adaptor registry.
public struct TermSavings has drop {}

public struct Savings has key {
    id: UID,
    /// How long a deposit must stay to earn interest, in milliseconds.
    term_ms: u64,
    /// Interest over one term, in basis points of the principal.
    rate_bps: u64,
    reserve: Balance<SUI>,
    deposits: Table<address, Deposit>,
}

public struct Deposit has store {
    principal: Balance<SUI>,
    interest: Balance<SUI>,
    matures_at_ms: u64,
}

public fun create(term_ms: u64, rate_bps: u64, ctx: &mut TxContext) {
    transfer::share_object(Savings {
        id: object::new(ctx),
        term_ms,
        rate_bps,
        reserve: balance::zero(),
        deposits: table::new(ctx),
    })
}

/// Adds to what interest is paid from.
public fun fund(savings: &mut Savings, coin: Coin<SUI>) {
    savings.reserve.join(coin.into_balance());
}

public fun deposit(savings: &mut Savings, coin: Coin<SUI>, clock: &Clock, ctx: &TxContext) {
    let amount = coin.value();
    assert!(amount > 0, ENothing);
    assert!(!savings.deposits.contains(ctx.sender()), EAlreadyDeposited);
    let interest = (amount as u128) * (savings.rate_bps as u128) / BPS;
    assert!(interest <= savings.reserve.value() as u128, EReserveTooSmall);
    let deposit = Deposit {
        principal: coin.into_balance(),
        interest: savings.reserve.split(interest as u64),
        matures_at_ms: clock.timestamp_ms() + savings.term_ms,
    };
    savings.deposits.add(ctx.sender(), deposit)
}

/// The sender's principal, with interest once the term is over.
public fun withdraw(savings: &mut Savings, clock: &Clock, ctx: &mut TxContext): Coin<SUI> {
    assert!(savings.deposits.contains(ctx.sender()), ENoDeposit);
    let Deposit { mut principal, interest, matures_at_ms } = savings.deposits.remove(ctx.sender());
    let earned = clock.timestamp_ms() >= matures_at_ms;
    if (earned) principal.join(interest) else savings.reserve.join(interest);
    principal.into_coin(ctx)
}

public fun reserve(savings: &Savings): u64 {
    savings.reserve.value()
}

/// Principal of an account's deposit, 0 without one.
public fun deposited(savings: &Savings, account: address): u64 {
    if (savings.deposits.contains(account)) savings.deposits[account].principal.value() else 0
}
