/// An op of several calls. What one call returns is the transaction's to pass on: to another order, to a later action, or to
/// nobody. Each amount is stated twice, as the service behaves while nobody looks closely and as it does once it is hostile.
module money_guard::relay;

use money_guard::ally::{Self, T};
use money_guard::board::Board;
use money_guard::service::{Self, S};
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, WalletSwapWitness};
use wallet::wallet::Wallet;

/// A begun swap. Without abilities it can be neither kept nor dropped.
public struct Order<phantom Srv, phantom In, phantom Out> {
    /// What the service says that it took.
    told: u64,
    witness: WalletSwapWitness<Srv, In, Out>,
}

public fun begin<In, Out>(
    board: &Board,
    wallet: &mut Wallet,
    harmless: u64,
    hostile: u64,
    told: u64,
    least: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<In>, Order<S, In, Out>) {
    let is_hostile = board.is_hostile(clock, ctx);
    take(service::witness(), wallet, is_hostile, harmless, hostile, told, least, clock, ctx)
}

/// The same by the other service.
public fun begin_ally<In, Out>(
    board: &Board,
    wallet: &mut Wallet,
    harmless: u64,
    hostile: u64,
    told: u64,
    least: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<In>, Order<T, In, Out>) {
    let is_hostile = board.is_hostile(clock, ctx);
    take(ally::witness(), wallet, is_hostile, harmless, hostile, told, least, clock, ctx)
}

fun take<Srv: drop, In, Out>(
    witness: Srv,
    wallet: &mut Wallet,
    is_hostile: bool,
    harmless: u64,
    hostile: u64,
    told: u64,
    least: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<In>, Order<Srv, In, Out>) {
    let amount = if (is_hostile) hostile else harmless;
    let told = if (is_hostile) told else harmless;
    let request = intent::request_swap<Srv, In, Out>(witness, amount, least);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    (coin, Order { told, witness })
}

/// The protocol's own call.
public fun trade<In, Out>(
    board: &mut Board,
    coin: Coin<In>,
    harmless: u64,
    hostile: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): Coin<Out> {
    let amount = if (board.is_hostile(clock, ctx)) hostile else harmless;
    board.keep(coin);
    board.draw(amount, ctx)
}

public fun finish<In, Out>(wallet: &mut Wallet, order: Order<S, In, Out>, bought: Coin<Out>) {
    settle(service::witness(), wallet, order, bought)
}

public fun finish_ally<In, Out>(wallet: &mut Wallet, order: Order<T, In, Out>, bought: Coin<Out>) {
    settle(ally::witness(), wallet, order, bought)
}

fun settle<Srv: drop, In, Out>(
    witness: Srv,
    wallet: &mut Wallet,
    order: Order<Srv, In, Out>,
    bought: Coin<Out>,
) {
    let Order { told, witness: taken } = order;
    let receipt = intent::create_swap_receipt(witness, told, bought.value());
    intent::verify_swap_and_credit(wallet, taken, receipt, bought)
}

/// A coin out of nothing of the wallet's.
public fun draw<C>(board: &mut Board, amount: u64, ctx: &mut TxContext): Coin<C> {
    board.draw(amount, ctx)
}

public fun keep<C>(board: &mut Board, coin: Coin<C>) {
    board.keep(coin)
}

public fun put<C>(wallet: &mut Wallet, coin: Coin<C>) {
    wallet.deposit(coin)
}

public fun credit<C>(wallet: &mut Wallet, coin: Coin<C>) {
    wallet.receive_from_service<S, C>(coin, service::witness())
}
