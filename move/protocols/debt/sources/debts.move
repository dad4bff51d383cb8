/// Debts that grow at one rate, for protocols that lend. All debts are a number and an index: one debt is a
/// part of that number, and grows with the index. The lender stores the parts and the money; this package does
/// the arithmetic.
///
/// The debt of one borrower is rounded up and the total is rounded down, so that a lender who counts the total
/// as an asset never counts more than borrowers owe.
module debt::debts;

use sui::clock::Clock;

/// The rate is above a hundred percent a year.
const ERateTooHigh: u64 = 0;
/// The repayment exceeds the debt.
const ENotOwed: u64 = 1;

const BPS: u256 = 10_000;
const YEAR_MS: u256 = 31_536_000_000;
const MAX_RATE_BPS: u64 = 10_000;
/// The index of new debts.
const ONE: u128 = 1_000_000_000_000_000_000;

public struct Debts has store {
    /// Rate a year while nothing is lent.
    base_bps: u64,
    /// The increase when all is lent, in proportion before.
    slope_bps: u64,
    /// The parts of all debts.
    parts: u64,
    /// The debt of one part, in units of 1 / ONE.
    index: u128,
    accrued_at_ms: u64,
}

public fun new(base_bps: u64, slope_bps: u64, clock: &Clock): Debts {
    assert!(base_bps <= MAX_RATE_BPS && slope_bps <= MAX_RATE_BPS - base_bps, ERateTooHigh);
    Debts { base_bps, slope_bps, parts: 0, index: ONE, accrued_at_ms: clock.timestamp_ms() }
}

/// Charges interest since the last call; returns the growth of all debts. `cash` is what the lender has not lent.
/// Call this before everything else: all amounts are as of the last call.
public fun accrue(debts: &mut Debts, cash: u64, clock: &Clock): u64 {
    let now = clock.timestamp_ms();
    let elapsed = (now - debts.accrued_at_ms) as u256;
    if (elapsed == 0) return 0;
    debts.accrued_at_ms = now;
    let before = debts.total();
    if (debts.parts == 0) return 0;
    let year = debts.rate_bps(cash) as u256 * elapsed;
    let growth = (debts.index as u256 * year).divide_and_round_up(BPS * YEAR_MS);
    debts.index = debts.index + (growth as u128);
    debts.total() - before
}

/// Adds a debt of `amount`; returns its part.
public fun lend(debts: &mut Debts, amount: u64): u64 {
    let part = (amount as u256 * (ONE as u256)).divide_and_round_up(debts.index as u256) as u64;
    debts.parts = debts.parts + part;
    part
}

/// Takes `amount` off a debt of `part`; returns the rest of the part.
public fun repay(debts: &mut Debts, part: u64, amount: u64): u64 {
    let owed = debts.owed(part);
    assert!(amount <= owed, ENotOwed);
    let repaid = if (amount == owed) part
    else (amount as u256 * (ONE as u256) / (debts.index as u256)) as u64;
    debts.parts = debts.parts - repaid;
    part - repaid
}

/// Writes off a debt of `part`; returns the decrease of the total debt.
public fun write_off(debts: &mut Debts, part: u64): u64 {
    let before = debts.total();
    debts.parts = debts.parts - part;
    before - debts.total()
}

/// The debt of `part`, rounded up.
public fun owed(debts: &Debts, part: u64): u64 {
    (part as u256 * (debts.index as u256)).divide_and_round_up(ONE as u256) as u64
}

/// The total debt, rounded down.
public fun total(debts: &Debts): u64 {
    (debts.parts as u256 * (debts.index as u256) / (ONE as u256)) as u64
}

/// The rate a year at which the debts grow while the lender has `cash` left.
public fun rate_bps(debts: &Debts, cash: u64): u64 {
    let lent = debts.total() as u128;
    if (lent == 0) return debts.base_bps;
    debts.base_bps + ((debts.slope_bps as u128) * lent / (lent + (cash as u128)) as u64)
}
