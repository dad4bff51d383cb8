/// Markets that pay for supply: sponsors add rewards, which stream evenly until an end that the sponsor
/// chooses. All suppliers earn by amount and time. Nothing that is supplied is lent: all of it stays available.
///
/// The earnings of a position are rounded down. Without suppliers the stream pauses, and its end moves.
module supply_market::supply_market;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;

/// The amount is zero.
const ENothing: u64 = 0;
/// The position belongs to another market.
const EWrongMarket: u64 = 1;
/// The position is not empty.
const ENotEmpty: u64 = 2;
/// The stream would end earlier than it does, or too far away.
const EBadDuration: u64 = 3;
/// The rewards are too few to keep the rate until the new end.
const ERateFalls: u64 = 4;
/// The result is below the minimum.
const ETooLittle: u64 = 5;

const MAX_DURATION_MS: u64 = 366 * 24 * 60 * 60 * 1_000;
/// The unit of `earned` is 1 / SCALE.
const SCALE: u256 = 1_000_000_000_000_000_000;

public struct Market<phantom CoinT> has key {
    id: UID,
    supplied: Balance<CoinT>,
    /// Unpaid rewards, streamed or not.
    rewards: Balance<CoinT>,
    /// Rewards that have not streamed.
    to_stream: u64,
    ends_at_ms: u64,
    /// The earnings of a base unit since the beginning.
    earned: u256,
    accrued_at_ms: u64,
}

/// A supplied amount. The holder of the position can withdraw it.
public struct Position has key, store {
    id: UID,
    market: ID,
    amount: u64,
    /// Earnings up to `earned` of the market that were not withdrawn.
    reward: u64,
    earned: u256,
}

public struct Created has copy, drop {
    market: ID,
}

public struct Sponsored has copy, drop {
    market: ID,
    amount: u64,
    ends_at_ms: u64,
}

public struct Supplied has copy, drop {
    market: ID,
    position: ID,
    amount: u64,
}

public struct Withdrawn has copy, drop {
    market: ID,
    position: ID,
    amount: u64,
    reward: u64,
}

/// Shares a new market. There is no admin.
public fun create<CoinT>(clock: &Clock, ctx: &mut TxContext): ID {
    let now = clock.timestamp_ms();
    let market = Market<CoinT> {
        id: object::new(ctx),
        supplied: balance::zero(),
        rewards: balance::zero(),
        to_stream: 0,
        ends_at_ms: now,
        earned: 0,
        accrued_at_ms: now,
    };
    let id = object::id(&market);
    event::emit(Created { market: id });
    transfer::share_object(market);
    id
}

/// Adds rewards, and sets the end of the stream to `duration_ms` from now. Anyone may, unless the stream would end
/// earlier or slow down. Otherwise one base unit would be enough to pay all rewards to the current suppliers, or to
/// delay them for a year.
public fun sponsor<CoinT>(market: &mut Market<CoinT>, coin: Coin<CoinT>, duration_ms: u64, clock: &Clock) {
    market.accrue(clock);
    let (now, amount) = (clock.timestamp_ms(), coin.value());
    assert!(amount > 0, ENothing);
    assert!(0 < duration_ms && duration_ms <= MAX_DURATION_MS, EBadDuration);
    let ends_at_ms = now + duration_ms;
    if (market.to_stream > 0) {
        assert!(ends_at_ms >= market.ends_at_ms, EBadDuration);
        let before = (market.to_stream as u256) * (duration_ms as u256);
        let after = ((market.to_stream as u256) + (amount as u256)) * ((market.ends_at_ms - now) as u256);
        assert!(after >= before, ERateFalls);
    };
    market.to_stream = market.to_stream + amount;
    market.ends_at_ms = ends_at_ms;
    market.rewards.join(coin.into_balance());
    event::emit(Sponsored { market: object::id(market), amount, ends_at_ms })
}

public fun open<CoinT>(market: &Market<CoinT>, ctx: &mut TxContext): Position {
    Position { id: object::new(ctx), market: object::id(market), amount: 0, reward: 0, earned: market.earned }
}

public fun supply<CoinT>(
    market: &mut Market<CoinT>,
    position: &mut Position,
    coin: Coin<CoinT>,
    clock: &Clock,
) {
    market.accrue(clock);
    market.settle(position);
    let amount = coin.value();
    assert!(amount > 0, ENothing);
    position.amount = position.amount + amount;
    market.supplied.join(coin.into_balance());
    event::emit(Supplied { market: position.market, position: object::id(position), amount })
}

/// Pays `amount`, or the whole supply if it is less, and the earnings of the position; at least `min_out` in total.
/// An `amount` of zero pays the earnings only.
public fun withdraw<CoinT>(
    market: &mut Market<CoinT>,
    position: &mut Position,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<CoinT> {
    market.accrue(clock);
    market.settle(position);
    let amount = amount.min(position.amount);
    let reward = position.reward;
    assert!(amount > 0 || reward > 0, ENothing);
    position.amount = position.amount - amount;
    position.reward = 0;
    let mut paid = market.supplied.split(amount);
    paid.join(market.rewards.split(reward));
    assert!(paid.value() >= min_out, ETooLittle);
    event::emit(Withdrawn { market: position.market, position: object::id(position), amount, reward });
    paid.into_coin(ctx)
}

/// Deletes an empty position.
public fun close(position: Position) {
    let Position { id, amount, reward, .. } = position;
    assert!(amount == 0 && reward == 0, ENotEmpty);
    id.delete()
}

public fun total_supplied<CoinT>(market: &Market<CoinT>): u64 {
    market.supplied.value()
}

/// Unpaid rewards, streamed or not.
public fun rewards<CoinT>(market: &Market<CoinT>): u64 {
    market.rewards.value()
}

/// Rewards that had not streamed when the market was last used.
public fun to_stream<CoinT>(market: &Market<CoinT>): u64 {
    market.to_stream
}

public fun ends_at_ms<CoinT>(market: &Market<CoinT>): u64 {
    market.ends_at_ms
}

public fun amount(position: &Position): u64 {
    position.amount
}

fun accrue<CoinT>(market: &mut Market<CoinT>, clock: &Clock) {
    let now = clock.timestamp_ms();
    let elapsed = now - market.accrued_at_ms;
    let left = market.ends_at_ms - market.accrued_at_ms.min(market.ends_at_ms);
    market.accrued_at_ms = now;
    if (elapsed == 0 || market.to_stream == 0) return;
    let supplied = market.supplied.value();
    if (supplied == 0) {
        market.ends_at_ms = market.ends_at_ms + elapsed;
        return
    };
    let streamed = if (elapsed >= left) market.to_stream
    else ((market.to_stream as u128) * (elapsed as u128) / (left as u128)) as u64;
    market.to_stream = market.to_stream - streamed;
    market.earned = market.earned + (streamed as u256) * SCALE / (supplied as u256);
}

fun settle<CoinT>(market: &Market<CoinT>, position: &mut Position) {
    assert!(position.market == object::id(market), EWrongMarket);
    let earned = (position.amount as u256) * (market.earned - position.earned) / SCALE;
    position.reward = position.reward + (earned as u64);
    position.earned = market.earned;
}
