/// The ops of the service, each of which runs the program of its place.
module money_guard::op;

use adaptor_registry::registry::Registry as Adaptors;
use agents::registry::Registry as Agents;
use escrow::job::Job;
use money_guard::action_steps;
use money_guard::ally;
use money_guard::bank::Accounts;
use money_guard::bank_steps;
use money_guard::board::{Self, Board, Hand, Step};
use money_guard::coins::{A, B};
use money_guard::money_steps;
use money_guard::owner_steps;
use money_guard::policy_steps;
use money_guard::read_steps;
use money_guard::service;
use money_guard::shared_steps;
use rules::registry::Registry as Rules;
use rules::rule::Allowlist;
use sui::clock::Clock;
use sui::coin::Coin;
use sui::transfer::Receiving;
use wallet::wallet::Wallet;

public fun open(): Hand {
    board::new_hand()
}

public fun close(hand: Hand) {
    hand.close()
}

/// What the agent calls: the wallet, the clock, and objects that are the publisher's own or another service's.
public fun run(
    board: &mut Board,
    wallet: &mut Wallet,
    bank: &mut Accounts,
    place: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let mut hand = open();
    go(board, &mut hand, wallet, bank, place, clock, ctx);
    close(hand)
}

/// The same, and what a step asked for stays for the ops that follow.
public fun go(
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    bank: &mut Accounts,
    place: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    board.program(place, clock, ctx).do!(|step| {
        if (is_bank(&step)) bank_steps::run(&step, bank, board, wallet, clock, ctx)
        else on_wallet(&step, board, hand, wallet, clock, ctx)
    })
}

/// With everything that is shared and that no op should be handed: other wallets, lists, jobs and registries.
public fun go_handed(
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    victim: &mut Wallet,
    sibling: &mut Wallet,
    bank: &mut Accounts,
    list: &mut Allowlist,
    job: &mut Job<A>,
    adaptors: &mut Adaptors,
    rules: &mut Rules,
    agents: &mut Agents,
    place: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    board.program(place, clock, ctx).do!(|step| {
        let op = step.op();
        if (within(op, 150, 154)) shared_steps::on_adaptors(&step, adaptors, clock, ctx)
        else if (within(op, 155, 159)) shared_steps::on_rules(&step, rules, clock, ctx)
        else if (within(op, 160, 169)) shared_steps::on_agents(&step, agents, clock, ctx)
        else match (step.on() % 4) {
            0 => on_any(&step, board, hand, wallet, bank, list, job, clock, ctx),
            1 => on_any(&step, board, hand, victim, bank, list, job, clock, ctx),
            2 => on_any(&step, board, hand, sibling, bank, list, job, clock, ctx),
            _ => {
                let mut made = hand.wallets().pop_back();
                on_any(&step, board, hand, &mut made, bank, list, job, clock, ctx);
                hand.wallets().push_back(made)
            },
        }
    })
}

/// Takes the list by value, which can only be retired then.
public fun go_retiring(
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    bank: &mut Accounts,
    list: Allowlist,
    place: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    go(board, hand, wallet, bank, place, clock, ctx);
    list.retire(wallet, ctx)
}

/// Takes the job by value.
public fun go_deleting(
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    bank: &mut Accounts,
    job: Job<A>,
    place: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    go(board, hand, wallet, bank, place, clock, ctx);
    job.delete(wallet, ctx)
}

/// With a coin that waits at the wallet's address.
public fun go_sweeping(
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    bank: &mut Accounts,
    waiting: Receiving<Coin<A>>,
    place: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    wallet.sweep_legacy_coin(waiting);
    go(board, hand, wallet, bank, place, clock, ctx)
}

fun on_any(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    bank: &mut Accounts,
    list: &mut Allowlist,
    job: &mut Job<A>,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let op = step.op();
    if (is_bank(step)) bank_steps::run(step, bank, board, wallet, clock, ctx)
    else if (within(op, 111, 119)) shared_steps::on_list(step, board, hand, wallet, list, ctx)
    else if (within(op, 120, 149)) shared_steps::on_job(step, board, hand, wallet, job, clock, ctx)
    else on_wallet(step, board, hand, wallet, clock, ctx)
}

fun on_wallet(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    if (step.service() == 0) {
        let witnesses = vector[service::witness(), service::witness()];
        with_service(witnesses, step, board, hand, wallet, clock, ctx)
    } else {
        with_service(vector[ally::witness(), ally::witness()], step, board, hand, wallet, clock, ctx)
    }
}

fun with_service<Srv: drop>(
    witnesses: vector<Srv>,
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let (coin, other) = (step.coin() % 2, step.other() % 2);
    if (coin == 0 && other == 0) with_coins<Srv, A, A>(witnesses, step, board, hand, wallet, clock, ctx)
    else if (coin == 0) with_coins<Srv, A, B>(witnesses, step, board, hand, wallet, clock, ctx)
    else if (other == 0) with_coins<Srv, B, A>(witnesses, step, board, hand, wallet, clock, ctx)
    else with_coins<Srv, B, B>(witnesses, step, board, hand, wallet, clock, ctx)
}

fun with_coins<Srv: drop, C, D>(
    mut witnesses: vector<Srv>,
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let op = step.op();
    if (within(op, 1, 29)) money_steps::run<Srv, C, D>(&mut witnesses, step, board, hand, wallet, clock, ctx)
    else if (within(op, 30, 69)) owner_steps::run<Srv, C>(step, board, hand, wallet, ctx)
    else if (within(op, 70, 110)) policy_steps::run<C>(step, board, hand, wallet, ctx)
    else if (within(op, 180, 189)) action_steps::run<Srv, C>(step, hand, wallet, ctx)
    else if (within(op, 200, 219)) read_steps::run<Srv, C>(step, board, hand, wallet, clock, ctx)
    else abort
}

fun is_bank(step: &Step): bool { within(step.op(), 190, 199) }

fun within(op: u8, first: u8, last: u8): bool { first <= op && op <= last }
