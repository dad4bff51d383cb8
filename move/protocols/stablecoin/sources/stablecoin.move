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
/// The cap is of another issuer.
const EWrongIssuer: u64 = 1;
/// The issuer takes its prices from elsewhere.
const EWrongPrices: u64 = 2;
/// The issuer takes no such collateral.
const EUnknownCollateral: u64 = 3;
/// Terms that make no sense together.
const EBadTerms: u64 = 4;
/// Nothing is pledged, borrowed, repaid, taken back or saved.
const ENothing: u64 = 5;
/// The collateral is worth too little for the debt.
const ETooMuchDebt: u64 = 6;
/// More than may be owed against this collateral altogether.
const EOverCeiling: u64 = 7;
/// The loan has less collateral than this, or there is no loan.
const ENotThere: u64 = 8;
/// The loan is sound.
const ENotLiquidatable: u64 = 9;
/// The result is below the minimum.
const ETooLittle: u64 = 10;

const BPS: u256 = 10_000;
const YEAR_MS: u256 = 31_536_000_000;
const MAX_BPS: u64 = 10_000;
/// Of the coin itself, as in `oracle::prices`: it has six decimals.
const DOLLAR: u256 = 1_000_000_000;
/// Shares of the first savings that nobody gets, so that one share never becomes too expensive.
const LOCKED_SHARES: u64 = 1_000;

public struct Issuer<phantom Stable> has key {
    id: UID,
    treasury: TreasuryCap<Stable>,
    prices: ID,
    /// Interest that was charged and not given to savings.
    surplus: Balance<Stable>,
    /// Coins that nobody owes, after losses.
    unbacked: u64,
    savings: Savings<Stable>,
}

public struct Savings<phantom Stable> has store {
    saved: Balance<Stable>,
    /// What savings earn a year, as long as the surplus lasts.
    rate_bps: u64,
    shares: u64,
    accounts: Table<ID, u64>,
    accrued_at_ms: u64,
    /// What was earned below one base unit, in units of 1 / (BPS * YEAR_MS).
    remainder: u256,
}

/// Name of the dynamic field with the `Collateral<C>`.
public struct CollateralKey<phantom C>() has copy, drop, store;

public struct Collateral<phantom C> has store {
    held: Balance<C>,
    debts: Debts,
    loans: Table<ID, Loan>,
    /// How much may be borrowed, of what is pledged.
    borrow_bps: u64,
    /// From how much on a debt is too large, of what is pledged.
    liquidation_bps: u64,
    /// What liquidators get on top of what they pay.
    bonus_bps: u64,
    /// How much all may owe.
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
    /// Of the debt, what the collateral did not cover.
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

/// Shares a new issuer, which alone mints the coin from now on.
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

/// Takes `C` as collateral from now on. What liquidators get must not be more than was pledged:
/// `liquidation_bps` and the bonus on top of it stay below the whole.
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

/// Mints `amount` against what the account pledged.
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

/// Burns what the account owes against `C`, as far as the coin goes; the rest of it comes back. Anyone may.
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

/// Gives collateral back that the debt does not need. Without a debt it needs no price either.
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

/// Buys the collateral of a loan whose debt is too large, at a bonus, as far as the coin goes; the rest of it comes
/// back. What is owed when no collateral is left is lost, to the surplus first. Anyone may.
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
    // What buys all that is pledged, rounded up, and what of it the amount buys, rounded down.
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

/// Pays `amount`, or all that is saved if that is less but no less than `min_out`.
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

/// Charges interest on the debts against `C` up to now, which makes losses good first and is minted then.
public fun accrue<C, Stable>(issuer: &mut Issuer<Stable>, clock: &Clock) {
    // There is no rate that depends on how much is lent.
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

/// What all owe against `C`.
public fun total_debt<C, Stable>(issuer: &Issuer<Stable>): u64 {
    issuer.collateral<C, Stable>().debts.total()
}

/// What is pledged of `C`.
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

/// Coins that nobody owes, after losses.
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

/// Whether the debt is no larger than `bps` of what the collateral is worth.
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
