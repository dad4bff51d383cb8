/// Perpetual positions in the price of `Base`, held in margin of `Quote`, against a house that takes the other side
/// of all of them at the oracle's price. The house reserves the cost of each position, and a position gains at most
/// that much, so every gain can be paid. There is no funding. All rounding is in favour of the house.
module perpetuals::perpetuals;

use oracle::prices::Prices;
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use sui::table::{Self, Table};

/// The rates contradict each other: see `create`.
const EBadRates: u64 = 0;
/// The cap, the account or the prices belong to another market.
const EWrongMarket: u64 = 1;
/// The amount is zero, or there is no position to reduce.
const ENothing: u64 = 2;
/// The price is beyond the order's limit, or the limit is zero.
const ELimit: u64 = 3;
/// The house has too little unreserved money.
const EHouseTooSmall: u64 = 4;
/// The margin is too small for the position, or for the loss of the closed part.
const EMarginTooSmall: u64 = 5;
/// The margin is still sufficient.
const ENotLiquidatable: u64 = 6;
/// The account still has margin or a position.
const ENotEmpty: u64 = 7;

const BPS: u64 = 10_000;
/// Prices are for 10^9 base units.
const PRICE_UNIT: u64 = 1_000_000_000;

public struct Market<phantom Base, phantom Quote> has key {
    id: UID,
    prices: ID,
    house: Balance<Quote>,
    /// The part of the house that is reserved for gains.
    reserved: u64,
    /// The margin of all accounts.
    margins: Balance<Quote>,
    accounts: Table<ID, Account>,
    fee_bps: u64,
    initial_bps: u64,
    maintenance_bps: u64,
    liquidation_bps: u64,
}

public struct Account has drop, store {
    margin: u64,
    /// In base units; zero: no position.
    size: u64,
    long: bool,
    /// The value of the position when it was opened, in quote units.
    cost: u64,
}

/// Its holder controls the account of its id.
public struct AccountCap has key, store {
    id: UID,
    market: ID,
}

/// Withdraws unreserved money of the house.
public struct HouseCap has key, store {
    id: UID,
    market: ID,
}

public struct AccountOpened has copy, drop { market: ID, account: ID }
public struct AccountClosed has copy, drop { market: ID, account: ID }
public struct MarginDeposited has copy, drop { market: ID, account: ID, amount: u64 }
public struct MarginWithdrawn has copy, drop { market: ID, account: ID, amount: u64 }

public struct Traded has copy, drop {
    market: ID,
    account: ID,
    long: bool,
    /// How much of the previous position was closed, and how much was opened.
    closed: u64,
    opened: u64,
    /// Quote units for 10^9 base units, rounded down.
    price: u64,
    gain: u64,
    loss: u64,
    fee: u64,
}

public struct Liquidated has copy, drop {
    market: ID,
    account: ID,
    size: u64,
    price: u64,
    reward: u64,
    /// The loss beyond the margin.
    shortfall: u64,
}

/// Shares a new market with an empty house. In basis points of a position's value: the fee of each trade, the margin
/// to open, the margin below which it is liquidated, and the liquidator's reward.
public fun create<Base, Quote>(
    prices: &Prices,
    fee_bps: u64,
    initial_bps: u64,
    maintenance_bps: u64,
    liquidation_bps: u64,
    ctx: &mut TxContext,
): HouseCap {
    assert!(fee_bps <= 1_000 && initial_bps <= BPS && maintenance_bps < initial_bps, EBadRates);
    assert!(0 < liquidation_bps && liquidation_bps <= maintenance_bps, EBadRates);
    let market = Market<Base, Quote> {
        id: object::new(ctx),
        prices: object::id(prices),
        house: balance::zero(),
        reserved: 0,
        margins: balance::zero(),
        accounts: table::new(ctx),
        fee_bps,
        initial_bps,
        maintenance_bps,
        liquidation_bps,
    };
    let id = object::id(&market);
    transfer::share_object(market);
    HouseCap { id: object::new(ctx), market: id }
}

public fun fund_house<Base, Quote>(market: &mut Market<Base, Quote>, coin: Coin<Quote>) {
    market.house.join(coin.into_balance());
}

public fun withdraw_house<Base, Quote>(
    market: &mut Market<Base, Quote>,
    cap: &HouseCap,
    amount: u64,
    ctx: &mut TxContext,
): Coin<Quote> {
    assert!(cap.market == object::id(market), EWrongMarket);
    assert!(amount <= market.free(), EHouseTooSmall);
    market.house.split(amount).into_coin(ctx)
}

// === Accounts ===

public fun open_account<Base, Quote>(market: &mut Market<Base, Quote>, ctx: &mut TxContext): AccountCap {
    let cap = AccountCap { id: object::new(ctx), market: object::id(market) };
    let account = object::id(&cap);
    market.accounts.add(account, Account { margin: 0, size: 0, long: false, cost: 0 });
    event::emit(AccountOpened { market: cap.market, account });
    cap
}

public fun close_account<Base, Quote>(market: &mut Market<Base, Quote>, cap: AccountCap) {
    market.assert_own(&cap);
    let AccountCap { id, market: market_id } = cap;
    let Account { margin, size, .. } = market.accounts.remove(id.to_inner());
    assert!(margin == 0 && size == 0, ENotEmpty);
    event::emit(AccountClosed { market: market_id, account: id.to_inner() });
    id.delete()
}

public fun deposit<Base, Quote>(market: &mut Market<Base, Quote>, cap: &AccountCap, coin: Coin<Quote>) {
    market.assert_own(cap);
    let amount = coin.value();
    assert!(amount > 0, ENothing);
    let account = &mut market.accounts[object::id(cap)];
    account.margin = account.margin + amount;
    market.margins.join(coin.into_balance());
    event::emit(MarginDeposited { market: cap.market, account: object::id(cap), amount })
}

/// Unrealized gains do not count as margin; unrealized losses do.
public fun withdraw<Base, Quote>(
    market: &mut Market<Base, Quote>,
    cap: &AccountCap,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Quote> {
    market.assert_own(cap);
    assert!(amount > 0, ENothing);
    let id = object::id(cap);
    assert!(amount <= market.accounts[id].margin, EMarginTooSmall);
    let account = &mut market.accounts[id];
    account.margin = account.margin - amount;
    if (account.size > 0) market.assert_margin(id, prices, clock);
    event::emit(MarginWithdrawn { market: cap.market, account: id, amount });
    market.margins.split(amount).into_coin(ctx)
}

// === Trades ===

/// Buys (`long`) or sells `size` base units at the oracle's price, which must be at most (at least) `limit`, in quote
/// units for 10^9 base units. The order first closes an opposite position; the rest opens a new one, unless the
/// order only reduces.
public fun order<Base, Quote>(
    market: &mut Market<Base, Quote>,
    cap: &AccountCap,
    prices: &Prices,
    long: bool,
    size: u64,
    limit: u64,
    reduce_only: bool,
    clock: &Clock,
) {
    market.assert_own(cap);
    assert!(size > 0, ENothing);
    let (base, quote) = market.rate(prices, clock);
    // The limit is compared without rounding.
    let (asked, allowed) = ((base as u128) * (PRICE_UNIT as u128), (limit as u128) * (quote as u128));
    assert!(limit > 0 && (if (long) asked <= allowed else asked >= allowed), ELimit);
    let id = object::id(cap);
    let Account { size: held, long: held_long, .. } = &market.accounts[id];
    let closed = if (*held_long == long) 0 else size.min(*held);
    let opened = if (reduce_only) 0 else size - closed;
    assert!(closed + opened > 0, ENothing);
    let fee = mul_div_up(worth(closed + opened, base, quote, true), market.fee_bps, BPS);

    let (mut gain, mut loss) = (0, 0);
    if (closed > 0) (gain, loss) = market.reduce(id, closed, base, quote);
    market.house_pays(id, gain);
    let margin = market.accounts[id].margin;
    assert!(loss as u128 + (fee as u128) <= margin as u128, EMarginTooSmall);
    market.house_takes(id, loss + fee);
    if (opened > 0) {
        let cost = worth(opened, base, quote, long);
        assert!(cost > 0, ENothing);
        assert!(cost <= market.free(), EHouseTooSmall);
        market.reserved = market.reserved + cost;
        let account = &mut market.accounts[id];
        account.long = long;
        account.size = account.size + opened;
        account.cost = account.cost + cost;
        market.assert_margin(id, prices, clock);
    };
    event::emit(Traded {
        market: cap.market,
        account: id,
        long,
        closed,
        opened,
        price: worth(PRICE_UNIT, base, quote, false),
        gain,
        loss,
        fee,
    })
}

/// Closes a position whose margin, with its gain or loss, is less than the maintenance margin. Anyone may, and gets a
/// reward from the remaining margin. The house takes the loss beyond the margin.
public fun liquidate<Base, Quote>(
    market: &mut Market<Base, Quote>,
    account: ID,
    prices: &Prices,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Quote> {
    assert!(market.accounts.contains(account), EWrongMarket);
    let (base, quote) = market.rate(prices, clock);
    let size = market.accounts[account].size;
    assert!(size > 0, ENothing);
    let value = worth(size, base, quote, true);
    let (gain, loss) = market.reduce(account, size, base, quote);
    market.house_pays(account, gain);
    let margin = market.accounts[account].margin;
    let required = mul_div_up(value, market.maintenance_bps, BPS);
    assert!((margin as u128) < (loss as u128) + (required as u128), ENotLiquidatable);
    market.house_takes(account, loss.min(margin));
    let left = market.accounts[account].margin;
    let reward = left.min(mul_div_up(value, market.liquidation_bps, BPS));
    let holder = &mut market.accounts[account];
    holder.margin = holder.margin - reward;
    event::emit(Liquidated {
        market: object::id(market),
        account,
        size,
        price: worth(PRICE_UNIT, base, quote, false),
        reward,
        shortfall: loss - loss.min(margin),
    });
    market.margins.split(reward).into_coin(ctx)
}

// === Reads ===

/// The account's margin, and its position: size, whether it is long, and cost.
public fun account<Base, Quote>(market: &Market<Base, Quote>, account: ID): (u64, u64, bool, u64) {
    assert!(market.accounts.contains(account), EWrongMarket);
    let Account { margin, size, long, cost } = &market.accounts[account];
    (*margin, *size, *long, *cost)
}

/// The unreserved money of the house.
public fun free<Base, Quote>(market: &Market<Base, Quote>): u64 {
    market.house.value() - market.reserved
}

/// All money of the house, and all margin.
public fun held<Base, Quote>(market: &Market<Base, Quote>): (u64, u64) {
    (market.house.value(), market.margins.value())
}

// === Inside ===

fun assert_own<Base, Quote>(market: &Market<Base, Quote>, cap: &AccountCap) {
    assert!(cap.market == object::id(market), EWrongMarket)
}

/// The prices of both coins.
fun rate<Base, Quote>(market: &Market<Base, Quote>, prices: &Prices, clock: &Clock): (u64, u64) {
    assert!(object::id(prices) == market.prices, EWrongMarket);
    (prices.price<Base>(clock), prices.price<Quote>(clock))
}

/// Checks that the margin, minus the loss so far, is sufficient to open the position.
fun assert_margin<Base, Quote>(market: &Market<Base, Quote>, id: ID, prices: &Prices, clock: &Clock) {
    let (base, quote) = market.rate(prices, clock);
    let Account { margin, size, long, cost } = &market.accounts[id];
    let value = worth(*size, base, quote, !*long);
    let loss = if (*long) *cost - value.min(*cost) else value - (*cost).min(value);
    let required = mul_div_up(value, market.initial_bps, BPS);
    assert!((*margin as u128) >= (loss as u128) + (required as u128), EMarginTooSmall)
}

/// Removes a part of a position; returns its gain, at most its cost, and its loss.
fun reduce<Base, Quote>(
    market: &mut Market<Base, Quote>,
    id: ID,
    part: u64,
    base: u64,
    quote: u64,
): (u64, u64) {
    let account = &mut market.accounts[id];
    let value = worth(part, base, quote, !account.long);
    // The last part gets the rest of the cost, so that the parts add up.
    let cost = if (part == account.size) account.cost
    else ((account.cost as u128) * (part as u128) / (account.size as u128)) as u64;
    account.size = account.size - part;
    account.cost = account.cost - cost;
    market.reserved = market.reserved - cost;
    let (won, lost) = if (account.long) (value, cost) else (cost, value);
    ((won - lost.min(won)).min(cost), lost - won.min(lost))
}

fun house_pays<Base, Quote>(market: &mut Market<Base, Quote>, id: ID, amount: u64) {
    market.margins.join(market.house.split(amount));
    let account = &mut market.accounts[id];
    account.margin = account.margin + amount;
}

fun house_takes<Base, Quote>(market: &mut Market<Base, Quote>, id: ID, amount: u64) {
    market.house.join(market.margins.split(amount));
    let account = &mut market.accounts[id];
    account.margin = account.margin - amount;
}

/// The value of the base units in quote units.
fun worth(size: u64, base: u64, quote: u64, up: bool): u64 {
    let value = (size as u128) * (base as u128);
    (if (up) value.divide_and_round_up(quote as u128) else value / (quote as u128)) as u64
}

/// a * b / c, rounded up.
fun mul_div_up(a: u64, b: u64, c: u64): u64 {
    ((a as u128) * (b as u128)).divide_and_round_up(c as u128) as u64
}
