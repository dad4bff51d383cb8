/// Markets that lend one coin against another. Suppliers own shares of the cash and the debts. Borrowers pledge
/// collateral worth more than they owe, and anyone can liquidate those who no longer do. The market stores an account
/// under the id of its cap; one cap serves all markets.
///
/// Prices are those of one `oracle::prices::Prices`, which its admin sets by hand: this is an example.
/// Suppliers lose what a liquidation leaves unpaid. All rounding is in favour of the market.
module money_market::money_market;

use debt::debts::{Self, Debts};
use oracle::prices::Prices;
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use sui::table::{Self, Table};

/// The result is below the minimum.
const ETooLittle: u64 = 0;
/// The market is seeded with less than `MIN_SEED`.
const ESeedTooSmall: u64 = 1;
/// The amount is zero.
const ENothing: u64 = 2;
/// The market has less cash; the rest is lent.
const ENotThere: u64 = 3;
/// The account has less.
const ENotYours: u64 = 4;
/// The market uses other prices.
const EWrongPrices: u64 = 5;
/// The terms contradict each other.
const EBadTerms: u64 = 6;
/// The collateral is worth too little for the debt.
const ETooMuchDebt: u64 = 7;
/// The debt is covered.
const ENotLiquidatable: u64 = 8;
/// All assets were lost, so the shares are worth nothing.
const EInsolvent: u64 = 9;

const BPS: u256 = 10_000;
const MAX_BPS: u64 = 10_000;
/// The seed's shares stay in the market forever, so that one share never becomes too expensive.
const MIN_SEED: u64 = 1_000;

public struct Market<phantom Asset, phantom Collateral> has key {
    id: UID,
    prices: ID,
    cash: Balance<Asset>,
    debts: Debts,
    /// The shares of the cash and the debts.
    shares: u64,
    pledged: Balance<Collateral>,
    accounts: Table<ID, Account>,
    /// The maximum debt, as a part of the collateral's value.
    borrow_bps: u64,
    /// The debt that can be liquidated, as a part of the collateral's value.
    liquidation_bps: u64,
    /// The bonus of liquidators, as a part of their payment.
    bonus_bps: u64,
}

public struct Account has copy, drop, store {
    shares: u64,
    collateral: u64,
    debt: u64,
}

/// Its holder controls the account of its id, at every market.
public struct AccountCap has key, store {
    id: UID,
}

public struct Created has copy, drop {
    market: ID,
    seed: u64,
}

public struct Supplied has copy, drop {
    market: ID,
    account: ID,
    amount: u64,
}

public struct Withdrawn has copy, drop {
    market: ID,
    account: ID,
    amount: u64,
}

public struct Pledged has copy, drop {
    market: ID,
    account: ID,
    amount: u64,
}

public struct CollateralReturned has copy, drop {
    market: ID,
    account: ID,
    amount: u64,
}

public struct Borrowed has copy, drop {
    market: ID,
    account: ID,
    amount: u64,
}

public struct Repaid has copy, drop {
    market: ID,
    account: ID,
    amount: u64,
}

public struct Liquidated has copy, drop {
    market: ID,
    account: ID,
    repaid: u64,
    collateral: u64,
    /// The part of the debt that the collateral did not cover.
    lost: u64,
}

/// Shares a new market. There is no admin: its terms are fixed. `base_bps` and `slope_bps`: the rate a year while
/// nothing is lent, and the increase when all is. A liquidator must not get more than the collateral:
/// `liquidation_bps` plus the bonus on it stay below 100 percent.
public fun create<Asset, Collateral>(
    seed: Coin<Asset>,
    prices: &Prices,
    base_bps: u64,
    slope_bps: u64,
    borrow_bps: u64,
    liquidation_bps: u64,
    bonus_bps: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): ID {
    let shares = seed.value();
    assert!(shares >= MIN_SEED, ESeedTooSmall);
    assert!(0 < borrow_bps && borrow_bps < liquidation_bps && bonus_bps <= MAX_BPS, EBadTerms);
    assert!((liquidation_bps as u256) * (BPS + (bonus_bps as u256)) < BPS * BPS, EBadTerms);
    let market = Market<Asset, Collateral> {
        id: object::new(ctx),
        prices: object::id(prices),
        cash: seed.into_balance(),
        debts: debts::new(base_bps, slope_bps, clock),
        shares,
        pledged: balance::zero(),
        accounts: table::new(ctx),
        borrow_bps,
        liquidation_bps,
        bonus_bps,
    };
    let id = object::id(&market);
    event::emit(Created { market: id, seed: shares });
    transfer::share_object(market);
    id
}

public fun open_account(ctx: &mut TxContext): AccountCap {
    AccountCap { id: object::new(ctx) }
}

/// Charges interest to the borrowers up to now. Every function that moves money calls this first.
public fun accrue<Asset, Collateral>(market: &mut Market<Asset, Collateral>, clock: &Clock) {
    market.debts.accrue(market.cash.value(), clock);
}

// === Supply ===

public fun supply<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    cap: &AccountCap,
    coin: Coin<Asset>,
    clock: &Clock,
) {
    market.accrue(clock);
    let (id, amount, held) = (object::id(market), coin.value(), market.total_assets());
    assert!(held > 0, EInsolvent);
    let shares = mul_div(amount, market.shares, held);
    assert!(shares > 0, ENothing);
    market.shares = market.shares + shares;
    let account = market.account_mut(cap);
    account.shares = account.shares + shares;
    market.cash.join(coin.into_balance());
    event::emit(Supplied { market: id, account: object::id(cap), amount })
}

/// Pays `amount`, or the whole supply if it is less, but at least `min_out`.
public fun withdraw<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    cap: &AccountCap,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Asset> {
    market.accrue(clock);
    let (id, all) = (object::id(market), market.supplied_of(object::id(cap)));
    let amount = amount.min(all);
    assert!(amount > 0, ENothing);
    assert!(amount >= min_out, ETooLittle);
    assert!(amount <= market.cash.value(), ENotThere);
    let (total, held) = (market.shares, market.total_assets());
    let account = market.account_mut(cap);
    let sold = if (amount == all) account.shares else mul_div_up(amount, total, held);
    account.shares = account.shares - sold;
    market.shares = total - sold;
    event::emit(Withdrawn { market: id, account: object::id(cap), amount });
    market.cash.split(amount).into_coin(ctx)
}

// === Loans ===

public fun pledge<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    cap: &AccountCap,
    coin: Coin<Collateral>,
) {
    let (id, amount) = (object::id(market), coin.value());
    assert!(amount > 0, ENothing);
    let account = market.account_mut(cap);
    account.collateral = account.collateral + amount;
    market.pledged.join(coin.into_balance());
    event::emit(Pledged { market: id, account: object::id(cap), amount })
}

/// Returns collateral that the debt does not need. Without a debt no price is needed.
public fun withdraw_collateral<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    cap: &AccountCap,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Collateral> {
    market.accrue(clock);
    let (id, account_id) = (object::id(market), object::id(cap));
    assert!(amount > 0, ENothing);
    let account = market.account_mut(cap);
    assert!(amount <= account.collateral, ENotYours);
    account.collateral = account.collateral - amount;
    if (account.debt > 0) {
        assert!(market.covers(account_id, market.borrow_bps, prices, clock), ETooMuchDebt);
    };
    event::emit(CollateralReturned { market: id, account: account_id, amount });
    market.pledged.split(amount).into_coin(ctx)
}

public fun borrow<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    cap: &AccountCap,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Asset> {
    market.accrue(clock);
    let (id, account_id) = (object::id(market), object::id(cap));
    assert!(amount > 0, ENothing);
    assert!(amount <= market.cash.value(), ENotThere);
    let part = market.debts.lend(amount);
    let account = market.account_mut(cap);
    account.debt = account.debt + part;
    assert!(market.covers(account_id, market.borrow_bps, prices, clock), ETooMuchDebt);
    event::emit(Borrowed { market: id, account: account_id, amount });
    market.cash.split(amount).into_coin(ctx)
}

/// Repays the account's debt with the coin and returns the rest of the coin. Anyone may.
public fun repay<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    account: ID,
    mut coin: Coin<Asset>,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Asset> {
    market.accrue(clock);
    let amount = coin.value().min(market.debt_of(account));
    assert!(amount > 0, ENothing);
    market.take_off(account, amount);
    market.cash.join(coin.split(amount, ctx).into_balance());
    event::emit(Repaid { market: object::id(market), account, amount });
    coin
}

/// Buys the collateral of an account whose debt is too large, with a bonus, and returns the rest of the coin.
/// Anyone may.
public fun liquidate<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    account: ID,
    prices: &Prices,
    mut coin: Coin<Asset>,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<Collateral>, Coin<Asset>) {
    market.accrue(clock);
    assert!(!market.covers(account, market.liquidation_bps, prices, clock), ENotLiquidatable);
    let (pledged, debt) = (market.collateral_of(account), market.debt_of(account));
    // A base unit of collateral costs `cheap / dear` of the asset.
    let cheap = (prices.price<Collateral>(clock) as u256) * BPS;
    let dear = (prices.price<Asset>(clock) as u256) * (BPS + (market.bonus_bps as u256));
    // The price of the whole collateral, rounded up, and the part that the amount buys, rounded down.
    let all = ((pledged as u256) * cheap).divide_and_round_up(dear);
    let amount = (coin.value() as u256).min(debt as u256).min(all) as u64;
    assert!(amount > 0, ENothing);
    let bought = if (amount as u256 == all) pledged else ((amount as u256) * dear / cheap) as u64;
    market.take_off(account, amount);
    market.accounts[account].collateral = pledged - bought;
    let lost = if (pledged == bought) {
        let part = market.accounts[account].debt;
        market.accounts[account].debt = 0;
        market.debts.write_off(part)
    } else 0;
    market.cash.join(coin.split(amount, ctx).into_balance());
    event::emit(Liquidated { market: object::id(market), account, repaid: amount, collateral: bought, lost });
    (market.pledged.split(bought).into_coin(ctx), coin)
}

// === Reads, as of the last accrual ===

/// What `withdraw` would pay for all shares of the account, with enough cash.
public fun supplied_of<Asset, Collateral>(market: &Market<Asset, Collateral>, account: ID): u64 {
    mul_div(market.account(account).shares, market.total_assets(), market.shares)
}

public fun collateral_of<Asset, Collateral>(market: &Market<Asset, Collateral>, account: ID): u64 {
    market.account(account).collateral
}

public fun debt_of<Asset, Collateral>(market: &Market<Asset, Collateral>, account: ID): u64 {
    market.debts.owed(market.account(account).debt)
}

/// The assets of the suppliers: cash and debts.
public fun total_assets<Asset, Collateral>(market: &Market<Asset, Collateral>): u64 {
    market.cash.value() + market.debts.total()
}

/// All shares, including the locked ones.
public fun total_shares<Asset, Collateral>(market: &Market<Asset, Collateral>): u64 {
    market.shares
}

/// The cash that can be borrowed or withdrawn now.
public fun cash<Asset, Collateral>(market: &Market<Asset, Collateral>): u64 {
    market.cash.value()
}

/// The collateral of all borrowers.
public fun total_collateral<Asset, Collateral>(market: &Market<Asset, Collateral>): u64 {
    market.pledged.value()
}

// === Inside ===

fun account<Asset, Collateral>(market: &Market<Asset, Collateral>, id: ID): Account {
    if (market.accounts.contains(id)) market.accounts[id]
    else Account { shares: 0, collateral: 0, debt: 0 }
}

fun account_mut<Asset, Collateral>(
    market: &mut Market<Asset, Collateral>,
    cap: &AccountCap,
): &mut Account {
    let id = object::id(cap);
    if (!market.accounts.contains(id)) {
        market.accounts.add(id, Account { shares: 0, collateral: 0, debt: 0 });
    };
    &mut market.accounts[id]
}

fun take_off<Asset, Collateral>(market: &mut Market<Asset, Collateral>, account: ID, amount: u64) {
    let debt = market.accounts[account].debt;
    market.accounts[account].debt = market.debts.repay(debt, amount);
}

/// Whether the debt is at most `bps` of the collateral's value.
fun covers<Asset, Collateral>(
    market: &Market<Asset, Collateral>,
    account: ID,
    bps: u64,
    prices: &Prices,
    clock: &Clock,
): bool {
    assert!(object::id(prices) == market.prices, EWrongPrices);
    let debt = (market.debt_of(account) as u256) * (prices.price<Asset>(clock) as u256);
    let worth = (market.collateral_of(account) as u256) * (prices.price<Collateral>(clock) as u256);
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
