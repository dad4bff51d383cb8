/// What the service does, written by the attacker: programs of steps, each of which is one call of the packages that
/// hold what wallets own. An op runs a harmless program in a simulation and another one later, by one of three switches.
module money_guard::board;

use escrow::job::{Job, ReleaseRequest};
use money_guard::coins::{A, B, Mint};
use money_guard::service::S;
use sui::balance::{Self, Balance};
use sui::bcs;
use sui::clock::Clock;
use sui::coin::Coin;
use sui::dynamic_field as field;
use wallet::action::Ticket;
use wallet::cap_auth::DelegateCap;
use wallet::intent::{
    ServiceSig,
    ServiceSigForPayer,
    ServiceSigUnmetered,
    SwapSig,
    WalletSwapWitness,
    WalletWitness,
};
use wallet::policy::SpendRequest;
use wallet::sub_delegate::ScopedCap;
use wallet::wallet::Wallet;

/// More than the steps of many runs pay.
const STOCK: u64 = 1_000_000_000_000_000;

public struct Step has copy, drop, store {
    op: u8,
    /// 0 the service, 1 its ally.
    service: u8,
    /// 0 A, 1 B.
    coin: u8,
    other: u8,
    /// 0 the wallet of the action, 1 and 2 wallets that the op was handed, 3 one that a step made.
    on: u8,
    /// Places in `people` and `names`, or of a rule.
    who: u8,
    name: u8,
    amount: u64,
    extra: u64,
}

public struct Stock<phantom C>() has copy, drop, store;

/// Shared, and the attacker's.
public struct Board has key {
    id: UID,
    /// By the op's place in the transaction.
    harmless: vector<vector<Step>>,
    hostile: vector<vector<Step>>,
    switched: bool,
    /// Hostile from this moment on.
    flip_at_ms: u64,
    /// Hostile in every other transaction.
    by_digest: bool,
    people: vector<address>,
    ids: vector<ID>,
    bearers: vector<DelegateCap>,
    scoped: vector<ScopedCap>,
}

/// What steps leave for later ones, of another op too.
public struct Hand {
    payments: vector<ServiceSig<S, A>>,
    for_payers: vector<ServiceSigForPayer<S, A>>,
    unmetered: vector<ServiceSigUnmetered<S, A>>,
    paid: vector<WalletWitness<S, A>>,
    swaps: vector<SwapSig<S, A, B>>,
    swapped: vector<WalletSwapWitness<S, A, B>>,
    spends: vector<SpendRequest>,
    releases: vector<ReleaseRequest>,
    tickets: vector<Ticket>,
    wallets: vector<Wallet>,
    jobs: vector<Job<A>>,
}

// === The attacker's side ===

public fun open(mint: &mut Mint, ctx: &mut TxContext) {
    let mut id = object::new(ctx);
    field::add(&mut id, Stock<A>(), mint.mint_a(STOCK));
    field::add(&mut id, Stock<B>(), mint.mint_b(STOCK));
    transfer::share_object(Board {
        id,
        harmless: vector[],
        hostile: vector[],
        switched: false,
        flip_at_ms: std::u64::max_value!(),
        by_digest: false,
        people: vector[],
        ids: vector[],
        bearers: vector[],
        scoped: vector[],
    })
}

/// Readies the board for another wallet. The caps go to the sender.
public fun clear(board: &mut Board, people: vector<address>, ctx: &TxContext) {
    while (!board.bearers.is_empty()) transfer::public_transfer(board.bearers.pop_back(), ctx.sender());
    while (!board.scoped.is_empty()) transfer::public_transfer(board.scoped.pop_back(), ctx.sender());
    board.people = people;
    board.ids = vector[];
}

public fun add_person(board: &mut Board, person: address) {
    board.people.push_back(person)
}

/// Takes all programs off, and every switch back.
public fun wipe(board: &mut Board) {
    board.harmless = vector[];
    board.hostile = vector[];
    board.switched = false;
    board.flip_at_ms = std::u64::max_value!();
    board.by_digest = false
}

/// Adds the programs of another op, each the BCS of its steps.
public fun add(board: &mut Board, harmless: vector<u8>, hostile: vector<u8>) {
    board.harmless.push_back(read(harmless));
    board.hostile.push_back(read(hostile))
}

public fun flip(board: &mut Board) {
    board.switched = true
}

public fun flip_at(board: &mut Board, ms: u64) {
    board.flip_at_ms = ms
}

public fun flip_by_digest(board: &mut Board) {
    board.by_digest = true
}

public fun add_id(board: &mut Board, id: ID) {
    board.ids.push_back(id)
}

public fun add_bearer(board: &mut Board, cap: DelegateCap) {
    board.ids.push_back(object::id(&cap));
    board.bearers.push_back(cap)
}

public fun add_scoped(board: &mut Board, cap: ScopedCap) {
    board.ids.push_back(object::id(&cap));
    board.scoped.push_back(cap)
}

// === For the steps ===

public(package) fun is_flipped(board: &Board): bool { board.switched }

public(package) fun is_hostile(board: &Board, clock: &Clock, ctx: &TxContext): bool {
    let odd = board.by_digest && ctx.digest()[0] % 2 == 1;
    board.switched || odd || clock.timestamp_ms() >= board.flip_at_ms
}

public(package) fun program(board: &Board, place: u64, clock: &Clock, ctx: &TxContext): vector<Step> {
    if (board.is_hostile(clock, ctx)) board.hostile[place] else board.harmless[place]
}

public(package) fun draw<C>(board: &mut Board, amount: u64, ctx: &mut TxContext): Coin<C> {
    let stock: &mut Balance<C> = field::borrow_mut(&mut board.id, Stock<C>());
    stock.split(amount).into_coin(ctx)
}

public(package) fun keep<C>(board: &mut Board, coin: Coin<C>) {
    let stock: &mut Balance<C> = field::borrow_mut(&mut board.id, Stock<C>());
    balance::join(stock, coin.into_balance());
}

public(package) fun person(board: &Board, step: &Step): address {
    board.people[step.who as u64 % board.people.length()]
}

/// Of an object that the attacker noted down, or that of the wallet.
public(package) fun noted(board: &Board, step: &Step, wallet: &Wallet): ID {
    if (board.ids.is_empty()) wallet.id() else board.ids[step.extra % board.ids.length()]
}

public(package) fun bearers(board: &mut Board): &mut vector<DelegateCap> { &mut board.bearers }

public(package) fun scoped(board: &mut Board): &mut vector<ScopedCap> { &mut board.scoped }

public(package) fun op(step: &Step): u8 { step.op }

public(package) fun service(step: &Step): u8 { step.service }

public(package) fun coin(step: &Step): u8 { step.coin }

public(package) fun other(step: &Step): u8 { step.other }

public(package) fun on(step: &Step): u8 { step.on }

public(package) fun who(step: &Step): u8 { step.who }

public(package) fun name(step: &Step): u8 { step.name }

public(package) fun amount(step: &Step): u64 { step.amount }

public(package) fun extra(step: &Step): u64 { step.extra }

/// "a" and so on.
public(package) fun text(step: &Step): std::string::String {
    vector[0x61 + step.name % 26].to_string()
}

public(package) fun new_hand(): Hand {
    Hand {
        payments: vector[],
        for_payers: vector[],
        unmetered: vector[],
        paid: vector[],
        swaps: vector[],
        swapped: vector[],
        spends: vector[],
        releases: vector[],
        tickets: vector[],
        wallets: vector[],
        jobs: vector[],
    }
}

/// What is left over cannot be dropped: then the transaction fails. Wallets and jobs are shared.
public(package) fun close(hand: Hand) {
    let Hand {
        payments,
        for_payers,
        unmetered,
        paid,
        swaps,
        swapped,
        spends,
        releases,
        tickets,
        wallets,
        jobs,
    } = hand;
    payments.destroy_empty();
    for_payers.destroy_empty();
    unmetered.destroy_empty();
    paid.destroy_empty();
    swaps.destroy_empty();
    swapped.destroy_empty();
    spends.destroy_empty();
    releases.destroy_empty();
    tickets.destroy_empty();
    wallets.do!(|wallet| wallet.share());
    jobs.do!(|job| job.share())
}

public(package) fun payments(hand: &mut Hand): &mut vector<ServiceSig<S, A>> { &mut hand.payments }

public(package) fun for_payers(hand: &mut Hand): &mut vector<ServiceSigForPayer<S, A>> { &mut hand.for_payers }

public(package) fun unmetered(hand: &mut Hand): &mut vector<ServiceSigUnmetered<S, A>> { &mut hand.unmetered }

public(package) fun paid(hand: &mut Hand): &mut vector<WalletWitness<S, A>> { &mut hand.paid }

public(package) fun swaps(hand: &mut Hand): &mut vector<SwapSig<S, A, B>> { &mut hand.swaps }

public(package) fun swapped(hand: &mut Hand): &mut vector<WalletSwapWitness<S, A, B>> { &mut hand.swapped }

public(package) fun spends(hand: &mut Hand): &mut vector<SpendRequest> { &mut hand.spends }

public(package) fun releases(hand: &mut Hand): &mut vector<ReleaseRequest> { &mut hand.releases }

public(package) fun tickets(hand: &mut Hand): &mut vector<Ticket> { &mut hand.tickets }

public(package) fun wallets(hand: &mut Hand): &mut vector<Wallet> { &mut hand.wallets }

public(package) fun jobs(hand: &mut Hand): &mut vector<Job<A>> { &mut hand.jobs }

fun read(bytes: vector<u8>): vector<Step> {
    let mut reader = bcs::new(bytes);
    let count = reader.peel_vec_length();
    vector::tabulate!(count, |_| Step {
        op: reader.peel_u8(),
        service: reader.peel_u8(),
        coin: reader.peel_u8(),
        other: reader.peel_u8(),
        on: reader.peel_u8(),
        who: reader.peel_u8(),
        name: reader.peel_u8(),
        amount: reader.peel_u64(),
        extra: reader.peel_u64(),
    })
}
