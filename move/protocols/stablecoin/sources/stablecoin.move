/// A coin that is worth a dollar because more than a dollar of collateral is pledged for each. Borrowers pledge
/// collateral and mint coins; repayments burn them. The interest on debts is minted into a surplus, which pays savings
/// and covers losses. So there are never more coins than debts, except for losses beyond the surplus (`unbacked`),
/// which interest covers first.
///
/// The coin has six decimals. Prices are those of one `oracle::prices::Prices`, which its admin sets by hand: this is
/// an example. All rounding is in favour of the issuer.
module stablecoin::stablecoin;

use debt::debts::{Self, Debts};
use oracle::prices::Prices;
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::{Coin, TreasuryCap};
use sui::dynamic_field as field;
use sui::event;
use sui::table::{Self, Table};

/// The coin has been minted already.
const ENotNew: u64 = 0;
/// The cap belongs to another issuer.
const EWrongIssuer: u64 = 1;
/// The issuer uses other prices.
const EWrongPrices: u64 = 2;
/// The issuer does not accept this collateral.
const EUnknownCollateral: u64 = 3;
/// The terms contradict each other.
const EBadTerms: u64 = 4;
/// The amount is zero.
const ENothing: u64 = 5;
/// The collateral is worth too little for the debt.
const ETooMuchDebt: u64 = 6;
/// The total debt against this collateral would exceed its maximum.
const EOverCeiling: u64 = 7;
/// The loan has less collateral, or there is no loan.
const ENotThere: u64 = 8;
/// The loan is covered.
const ENotLiquidatable: u64 = 9;
/// The result is below the minimum.
const ETooLittle: u64 = 10;

const BPS: u256 = 10_000;
const YEAR_MS: u256 = 31_536_000_000;
const MAX_BPS: u64 = 10_000;
/// The price of the coin itself, as in `oracle::prices`: it has six decimals.
const DOLLAR: u256 = 1_000_000_000;
/// Shares of the first savings that stay locked, so that one share never becomes too expensive.
const LOCKED_SHARES: u64 = 1_000;

public struct Issuer<phantom Stable> has key {
    id: UID,
    treasury: TreasuryCap<Stable>,
    prices: ID,
    /// Interest that was charged and not paid to savings.
    surplus: Balance<Stable>,
    /// Coins without a debt behind them, after losses.
    unbacked: u64,
    savings: Savings<Stable>,
}

public struct Savings<phantom Stable> has store {
    saved: Balance<Stable>,
    /// The rate of savings a year, as long as the surplus lasts.
    rate_bps: u64,
    shares: u64,
    accounts: Table<ID, u64>,
    accrued_at_ms: u64,
    /// Earnings below one base unit, in units of 1 / (BPS * YEAR_MS).
    remainder: u256,
}

/// Name of the dynamic field with the `Collateral<C>`.
public struct CollateralKey<phantom C>() has copy, drop, store;

public struct Collateral<phantom C> has store {
    held: Balance<C>,
    debts: Debts,
    loans: Table<ID, Loan>,
    /// The maximum debt, as a part of the collateral's value.
    borrow_bps: u64,
    /// The debt that can be liquidated, as a part of the collateral's value.
    liquidation_bps: u64,
    /// The bonus of liquidators, as a part of their payment.
    bonus_bps: u64,
    /// The maximum of all debts.
    ceiling: u64,
}

public struct Loan has copy, drop, store {
    collateral: u64,
    debt: u64,
}

/// Loans and savings belong to an account, and its holder controls them.
public struct Account has key, store {
    id: UID,
}

public struct AdminCap has key, store {
    id: UID,
    issuer: ID,
}

public struct Pledged has copy, drop {
    issuer: ID,
    account: ID,
    amount: u64,
}

public struct Borrowed has copy, drop {
    issuer: ID,
    account: ID,
    amount: u64,
}

public struct Repaid has copy, drop {
    issuer: ID,
    account: ID,
    amount: u64,
}

public struct CollateralReturned has copy, drop {
    issuer: ID,
    account: ID,
    amount: u64,
}

public struct Liquidated has copy, drop {
    issuer: ID,
    account: ID,
    repaid: u64,
    collateral: u64,
    /// The part of the debt that the collateral did not cover.
    lost: u64,
}

public struct Saved has copy, drop {
    issuer: ID,
    account: ID,
    amount: u64,
}

public struct SavingsWithdrawn has copy, drop {
    issuer: ID,
    account: ID,
    amount: u64,
}

/// Shares a new issuer, which owns the treasury of the coin.
public fun create<Stable>(
    treasury: TreasuryCap<Stable>,
    prices: &Prices,
    savings_rate_bps: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): AdminCap {
    assert!(treasury.total_supply() == 0, ENotNew);
    assert!(savings_rate_bps <= MAX_BPS, EBadTerms);
    let savings = Savings {
        saved: balance::zero(),
        rate_bps: savings_rate_bps,
        shares: 0,
        accounts: table::new(ctx),
        accrued_at_ms: clock.timestamp_ms(),
        remainder: 0,
    };
    let issuer = Issuer {
        id: object::new(ctx),
        treasury,
        prices: object::id(prices),
        surplus: balance::zero(),
        unbacked: 0,
        savings,
    };
    let id = object::id(&issuer);
    transfer::share_object(issuer);
    AdminCap { id: object::new(ctx), issuer: id }
}

/// Accepts `C` as collateral. A liquidator must not get more than the collateral:
/// `liquidation_bps` plus the bonus on it stay below 100 percent.
public fun add_collateral<C, Stable>(
    issuer: &mut Issuer<Stable>,
    cap: &AdminCap,
    rate_bps: u64,
    borrow_bps: u64,
    liquidation_bps: u64,
    bonus_bps: u64,
    ceiling: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert!(cap.issuer == object::id(issuer), EWrongIssuer);
    assert!(0 < borrow_bps && borrow_bps < liquidation_bps && bonus_bps <= MAX_BPS, EBadTerms);
    let most = (liquidation_bps as u256) * (BPS + (bonus_bps as u256));
    assert!(most < BPS * BPS, EBadTerms);
    field::add(&mut issuer.id, CollateralKey<C>(), Collateral<C> {
        held: balance::zero(),
        debts: debts::new(rate_bps, 0, clock),
        loans: table::new(ctx),
        borrow_bps,
        liquidation_bps,
        bonus_bps,
        ceiling,
    })
}

public fun open_account(ctx: &mut TxContext): Account {
    Account { id: object::new(ctx) }
}

// === Loans ===

public fun pledge<C, Stable>(issuer: &mut Issuer<Stable>, account: &Account, coin: Coin<C>) {
    let (id, amount) = (object::id(issuer), coin.value());
    assert!(amount > 0, ENothing);
    let account = object::id(account);
    let collateral = issuer.collateral_mut<C, Stable>();
    if (!collateral.loans.contains(account)) {
        collateral.loans.add(account, Loan { collateral: 0, debt: 0 });
    };
    let loan = &mut collateral.loans[account];
    loan.collateral = loan.collateral + amount;
    collateral.held.join(coin.into_balance());
    event::emit(Pledged { issuer: id, account, amount })
}

/// Mints `amount` against the account's collateral.
public fun borrow<C, Stable>(
    issuer: &mut Issuer<Stable>,
    account: &Account,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Stable> {
    let account = object::id(account);
    assert!(amount > 0, ENothing);
    issuer.accrue<C, Stable>(clock);
    let price = issuer.price<C, Stable>(prices, clock);
    let collateral = issuer.collateral_mut<C, Stable>();
    collateral.assert_loan(account);
    let part = collateral.debts.lend(amount);
    let loan = &mut collateral.loans[account];
    loan.debt = loan.debt + part;
    assert!(collateral.covers(account, collateral.borrow_bps, price), ETooMuchDebt);
    assert!(collateral.debts.total() <= collateral.ceiling, EOverCeiling);
    event::emit(Borrowed { issuer: object::id(issuer), account, amount });
    issuer.treasury.mint(amount, ctx)
}

/// Repays the account's debt against `C`, burns the payment and returns the rest of the coin. Anyone may.
public fun repay<C, Stable>(
    issuer: &mut Issuer<Stable>,
    account: ID,
    mut coin: Coin<Stable>,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Stable> {
    issuer.accrue<C, Stable>(clock);
    let collateral = issuer.collateral_mut<C, Stable>();
    let amount = coin.value().min(collateral.debt_of(account));
    assert!(amount > 0, ENothing);
    collateral.take_off(account, amount);
    issuer.treasury.burn(coin.split(amount, ctx));
    event::emit(Repaid { issuer: object::id(issuer), account, amount });
    coin
}

/// Returns collateral that the debt does not need. Without a debt no price is needed.
public fun withdraw_collateral<C, Stable>(
    issuer: &mut Issuer<Stable>,
    account: &Account,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<C> {
    let (id, account) = (object::id(issuer), object::id(account));
    assert!(amount > 0, ENothing);
    issuer.accrue<C, Stable>(clock);
    let owes = issuer.debt_of<C, Stable>(account) > 0;
    let price = if (owes) issuer.price<C, Stable>(prices, clock) else 0;
    let collateral = issuer.collateral_mut<C, Stable>();
    collateral.assert_loan(account);
    let loan = &mut collateral.loans[account];
    assert!(amount <= loan.collateral, ENotThere);
    loan.collateral = loan.collateral - amount;
    assert!(!owes || collateral.covers(account, collateral.borrow_bps, price), ETooMuchDebt);
    if (!owes && collateral.loans[account].collateral == 0) { collateral.loans.remove(account); };
    event::emit(CollateralReturned { issuer: id, account, amount });
    collateral.held.split(amount).into_coin(ctx)
}

/// Buys the collateral of a loan whose debt is too large, with a bonus, and returns the rest of the coin. Debt that is
/// left without collateral is a loss, which the surplus covers first. Anyone may.
public fun liquidate<C, Stable>(
    issuer: &mut Issuer<Stable>,
    account: ID,
    prices: &Prices,
    mut coin: Coin<Stable>,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<C>, Coin<Stable>) {
    issuer.accrue<C, Stable>(clock);
    let price = issuer.price<C, Stable>(prices, clock);
    let collateral = issuer.collateral_mut<C, Stable>();
    collateral.assert_loan(account);
    assert!(!collateral.covers(account, collateral.liquidation_bps, price), ENotLiquidatable);
    let pledged = collateral.loans[account].collateral;
    let worth = BPS + (collateral.bonus_bps as u256);
    // The price of the whole collateral, rounded up, and the part that the amount buys, rounded down.
    let all = ((pledged as u256) * (price as u256) * BPS).divide_and_round_up(DOLLAR * worth);
    let amount = (coin.value() as u256).min(collateral.debt_of(account) as u256).min(all) as u64;
    assert!(amount > 0, ENothing);
    let bought = if (amount as u256 == all) pledged
    else ((amount as u256) * DOLLAR * worth / ((price as u256) * BPS)) as u64;
    collateral.take_off(account, amount);
    let loan = &mut collateral.loans[account];
    loan.collateral = pledged - bought;
    let lost = if (loan.collateral == 0) {
        let Loan { debt, .. } = collateral.loans.remove(account);
        collateral.debts.write_off(debt)
    } else 0;
    let out = collateral.held.split(bought).into_coin(ctx);
    issuer.treasury.burn(coin.split(amount, ctx));
    issuer.lose(lost);
    event::emit(Liquidated { issuer: object::id(issuer), account, repaid: amount, collateral: bought, lost });
    (out, coin)
}

// === Savings ===

public fun save<Stable>(issuer: &mut Issuer<Stable>, account: &Account, coin: Coin<Stable>, clock: &Clock) {
    issuer.accrue_savings(clock);
    let (id, account, amount) = (object::id(issuer), object::id(account), coin.value());
    let savings = &mut issuer.savings;
    let first = savings.shares == 0;
    let bought = if (first) amount else mul_div(amount, savings.shares, savings.saved.value());
    assert!(bought > if (first) LOCKED_SHARES else 0, ENothing);
    savings.shares = savings.shares + bought;
    savings.saved.join(coin.into_balance());
    if (!savings.accounts.contains(account)) savings.accounts.add(account, 0);
    let shares = &mut savings.accounts[account];
    *shares = *shares + bought - if (first) LOCKED_SHARES else 0;
    event::emit(Saved { issuer: id, account, amount })
}

/// Pays `amount`, or all savings if they are less, but at least `min_out`.
public fun withdraw_savings<Stable>(
    issuer: &mut Issuer<Stable>,
    account: &Account,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Stable> {
    issuer.accrue_savings(clock);
    let (id, account) = (object::id(issuer), object::id(account));
    let all = issuer.saved_of(account);
    let amount = amount.min(all);
    assert!(amount > 0, ENothing);
    assert!(amount >= min_out, ETooLittle);
    let savings = &mut issuer.savings;
    let shares = &mut savings.accounts[account];
    let sold = if (amount == all) *shares
    else mul_div_up(amount, savings.shares, savings.saved.value());
    *shares = *shares - sold;
    savings.shares = savings.shares - sold;
    event::emit(SavingsWithdrawn { issuer: id, account, amount });
    savings.saved.split(amount).into_coin(ctx)
}

// === Interest ===

/// Charges interest on the debts against `C` up to now. It first covers losses; the rest is minted.
public fun accrue<C, Stable>(issuer: &mut Issuer<Stable>, clock: &Clock) {
    // The rate does not depend on how much is lent.
    let interest = issuer.collateral_mut<C, Stable>().debts.accrue(0, clock);
    let covered = interest.min(issuer.unbacked);
    issuer.unbacked = issuer.unbacked - covered;
    issuer.surplus.join(issuer.treasury.mint_balance(interest - covered));
}

/// Pays savings their rate up to now, as far as the surplus goes.
public fun accrue_savings<Stable>(issuer: &mut Issuer<Stable>, clock: &Clock) {
    let Savings { saved, rate_bps, accrued_at_ms, remainder, .. } = &mut issuer.savings;
    let now = clock.timestamp_ms();
    let elapsed = (now - *accrued_at_ms) as u256;
    // Without the remainder, a call in every second would round the interest of savings down to zero.
    let earned = *remainder + (saved.value() as u256) * (*rate_bps as u256) * elapsed;
    *remainder = earned % (BPS * YEAR_MS);
    let paid = (earned / (BPS * YEAR_MS)).min(issuer.surplus.value() as u256) as u64;
    saved.join(issuer.surplus.split(paid));
    *accrued_at_ms = now;
}

// === Reads, as of the last accrual ===

public fun debt_of<C, Stable>(issuer: &Issuer<Stable>, account: ID): u64 {
    issuer.collateral<C, Stable>().debt_of(account)
}

public fun collateral_of<C, Stable>(issuer: &Issuer<Stable>, account: ID): u64 {
    let loans = &issuer.collateral<C, Stable>().loans;
    if (loans.contains(account)) loans[account].collateral else 0
}

/// All debts against `C`.
public fun total_debt<C, Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.collateral<C, Stable>().debts.total()
}

/// The collateral in `C`.
public fun total_collateral<C, Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.collateral<C, Stable>().held.value()
}

public fun saved_of<Stable>(issuer: &Issuer<Stable>, account: ID): u64 {
    let savings = &issuer.savings;
    if (!savings.accounts.contains(account)) return 0;
    let shares = savings.accounts[account];
    if (shares == 0) 0 else mul_div(shares, savings.saved.value(), savings.shares)
}

public fun total_saved<Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.savings.saved.value()
}

public fun surplus<Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.surplus.value()
}

/// Coins without a debt behind them, after losses.
public fun unbacked<Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.unbacked
}

public fun total_supply<Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.treasury.total_supply()
}

// === Inside ===

fun collateral<C, Stable>(issuer: &Issuer<Stable>): &Collateral<C> {
    assert!(field::exists_with_type<_, Collateral<C>>(&issuer.id, CollateralKey<C>()), EUnknownCollateral);
    field::borrow(&issuer.id, CollateralKey<C>())
}

fun collateral_mut<C, Stable>(issuer: &mut Issuer<Stable>): &mut Collateral<C> {
    assert!(field::exists_with_type<_, Collateral<C>>(&issuer.id, CollateralKey<C>()), EUnknownCollateral);
    field::borrow_mut(&mut issuer.id, CollateralKey<C>())
}

fun price<C, Stable>(issuer: &Issuer<Stable>, prices: &Prices, clock: &Clock): u64 {
    assert!(object::id(prices) == issuer.prices, EWrongPrices);
    prices.price<C>(clock)
}

fun lose<Stable>(issuer: &mut Issuer<Stable>, lost: u64) {
    let covered = lost.min(issuer.surplus.value());
    issuer.treasury.supply_mut().decrease_supply(issuer.surplus.split(covered));
    issuer.unbacked = issuer.unbacked + lost - covered;
}

use fun collateral_debt_of as Collateral.debt_of;

fun collateral_debt_of<C>(collateral: &Collateral<C>, account: ID): u64 {
    if (!collateral.loans.contains(account)) return 0;
    collateral.debts.owed(collateral.loans[account].debt)
}

fun assert_loan<C>(collateral: &Collateral<C>, account: ID) {
    assert!(collateral.loans.contains(account), ENotThere)
}

fun take_off<C>(collateral: &mut Collateral<C>, account: ID, amount: u64) {
    let debt = collateral.loans[account].debt;
    collateral.loans[account].debt = collateral.debts.repay(debt, amount);
}

/// Whether the debt is at most `bps` of the collateral's value.
fun covers<C>(collateral: &Collateral<C>, account: ID, bps: u64, price: u64): bool {
    let debt = (collateral.debt_of(account) as u256) * DOLLAR;
    let worth = (collateral.loans[account].collateral as u256) * (price as u256);
    debt * BPS <= worth * (bps as u256)
}

/// a * b / c, rounded down; aborts if the result exceeds a u64.
fun mul_div(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128) / (c as u128)) as u64
}

/// The same, rounded up.
fun mul_div_up(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128)).divide_and_round_up(c as u128) as u64
}
