/// Several transactions in one unit test: what one of them shares or sends, a later one can take.
#[test_only]
module sui::test_scenario;

use sui::transfer::Receiving;
use sui::vec_map::VecMap;

#[allow(unused_const)]
/// The transaction's effects make no sense, such as objects that own each other.
const ECouldNotGenerateEffects: u64 = 0;
#[allow(unused_const)]
/// A shared or immutable object was taken and not given back as such.
const EInvalidSharedOrImmutableUsage: u64 = 1;
/// The object was not taken in this transaction.
const ECantReturnObject: u64 = 2;
/// There is no object of the type.
const EEmptyInventory: u64 = 3;
#[allow(unused_const)]
/// There is no object of that id, or it is taken.
const EObjectNotFound: u64 = 4;

public struct Scenario {
    txn_number: u64,
    ctx: TxContext,
}

/// The context of a transaction, to be changed before it begins.
public struct TxContextBuilder has copy, drop {
    sender: address,
    epoch: u64,
    epoch_timestamp_ms: u64,
    ids_created: u64,
    rgp: Option<u64>,
    gas_price: u64,
    gas_budget: u64,
    sponsor: Option<address>,
}

/// What one transaction did. The chain builds it, field by field in this order.
public struct TransactionEffects has drop {
    created: vector<ID>,
    written: vector<ID>,
    deleted: vector<ID>,
    transferred_to_account: VecMap<ID, address>,
    transferred_to_object: VecMap<ID, ID>,
    shared: vector<ID>,
    frozen: vector<ID>,
    num_user_events: u64,
}

public fun begin(sender: address): Scenario {
    Scenario { txn_number: 0, ctx: tx_context::new_from_hint(sender, 0, 0, 0, 0) }
}

public fun begin_with_context(ctx_builder: TxContextBuilder): Scenario {
    Scenario { txn_number: 0, ctx: ctx_builder.context(0) }
}

public fun ctx_builder(scenario: &Scenario): TxContextBuilder {
    ctx_builder_from_context(&scenario.ctx)
}

public fun ctx_builder_from_context(ctx: &TxContext): TxContextBuilder {
    TxContextBuilder {
        sender: ctx.sender(),
        epoch: ctx.epoch(),
        epoch_timestamp_ms: ctx.epoch_timestamp_ms(),
        ids_created: ctx.ids_created(),
        rgp: option::some(ctx.reference_gas_price()),
        gas_price: ctx.gas_price(),
        gas_budget: ctx.gas_budget(),
        sponsor: ctx.sponsor(),
    }
}

public fun ctx_builder_from_sender(sender: address): TxContextBuilder {
    TxContextBuilder {
        sender,
        epoch: 0,
        epoch_timestamp_ms: 0,
        ids_created: 0,
        rgp: option::some(700),
        gas_price: 1_000,
        gas_budget: 100_000_000,
        sponsor: option::none(),
    }
}

public fun set_epoch(mut builder: TxContextBuilder, epoch: u64): TxContextBuilder {
    builder.epoch = epoch;
    builder
}

public fun set_epoch_timestamp(mut builder: TxContextBuilder, ms: u64): TxContextBuilder {
    builder.epoch_timestamp_ms = ms;
    builder
}

public fun set_ids_created(mut builder: TxContextBuilder, ids_created: u64): TxContextBuilder {
    builder.ids_created = ids_created;
    builder
}

public fun set_reference_gas_price(mut builder: TxContextBuilder, rgp: u64): TxContextBuilder {
    builder.rgp = option::some(rgp);
    builder
}

public fun unset_reference_gas_price(mut builder: TxContextBuilder): TxContextBuilder {
    builder.rgp = option::none();
    builder
}

public fun set_gas_price(mut builder: TxContextBuilder, gas_price: u64): TxContextBuilder {
    builder.gas_price = gas_price;
    builder
}

public fun set_gas_budget(mut builder: TxContextBuilder, gas_budget: u64): TxContextBuilder {
    builder.gas_budget = gas_budget;
    builder
}

public fun set_sponsor(mut builder: TxContextBuilder, sponsor: address): TxContextBuilder {
    builder.sponsor = option::some(sponsor);
    builder
}

public fun unset_sponsor(mut builder: TxContextBuilder): TxContextBuilder {
    builder.sponsor = option::none();
    builder
}

fun context(builder: TxContextBuilder, txn_number: u64): TxContext {
    tx_context::create(
        builder.sender,
        tx_context::dummy_tx_hash_with_hint(txn_number),
        builder.epoch,
        builder.epoch_timestamp_ms,
        builder.ids_created,
        builder.rgp.destroy_some(),
        builder.gas_price,
        builder.gas_budget,
        builder.sponsor,
    )
}

/// Each epoch up to the builder's takes a transaction. Neither epoch nor time go back, and the reference gas price
/// changes between epochs only.
public fun next_with_context(
    scenario: &mut Scenario,
    ctx_builder: TxContextBuilder,
): TransactionEffects {
    let before = scenario.ctx.epoch();
    let rgp = ctx_builder.rgp;
    let same_price = rgp.is_none() || rgp.contains(&scenario.ctx.reference_gas_price());
    assert!(ctx_builder.epoch >= before);
    assert!(same_price || ctx_builder.epoch > before);
    assert!(ctx_builder.epoch_timestamp_ms >= scenario.ctx.epoch_timestamp_ms());
    let mut left = if (ctx_builder.epoch > before) ctx_builder.epoch - before else 1;
    loop {
        scenario.txn_number = scenario.txn_number + 1;
        scenario.ctx = ctx_builder.context(scenario.txn_number);
        left = left - 1;
        let effects = end_transaction();
        if (left == 0) return effects
    }
}

public fun next_tx(scenario: &mut Scenario, sender: address): TransactionEffects {
    let number = scenario.txn_number + 1;
    let (epoch, timestamp_ms) = (scenario.ctx.epoch(), scenario.ctx.epoch_timestamp_ms());
    scenario.txn_number = number;
    scenario.ctx = tx_context::new_from_hint(sender, number, epoch, timestamp_ms, 0);
    end_transaction()
}

public fun next_epoch(scenario: &mut Scenario, sender: address): TransactionEffects {
    scenario.ctx.increment_epoch_number();
    scenario.next_tx(sender)
}

public fun later_epoch(scenario: &mut Scenario, delta_ms: u64, sender: address): TransactionEffects {
    scenario.ctx.increment_epoch_timestamp(delta_ms);
    scenario.next_epoch(sender)
}

public fun end(scenario: Scenario): TransactionEffects {
    let Scenario { txn_number: _, ctx: _ } = scenario;
    end_transaction()
}

/// Shares the clock, the randomness and the deny list, which a network has from its beginning.
public fun create_system_objects(scenario: &mut Scenario) {
    let sender = scenario.sender();
    scenario.next_tx(@0x0);
    sui::clock::create_for_testing(scenario.ctx()).share_for_testing();
    sui::random::create_for_testing(scenario.ctx());
    sui::deny_list::create_for_test(scenario.ctx());
    scenario.next_tx(sender);
}

public fun skip_to_epoch(scenario: &mut Scenario, epoch: u64) {
    assert!(epoch >= scenario.ctx.epoch());
    (epoch - scenario.ctx.epoch()).do!(|_| {
        scenario.ctx.increment_epoch_number();
        end_transaction();
    })
}

public fun ctx(scenario: &mut Scenario): &mut TxContext {
    &mut scenario.ctx
}

public fun new_object(scenario: &mut Scenario): UID {
    object::new(&mut scenario.ctx)
}

public fun sender(scenario: &Scenario): address {
    scenario.ctx.sender()
}

public fun num_concluded_txes(scenario: &Scenario): u64 {
    scenario.txn_number
}

public fun created(effects: &TransactionEffects): vector<ID> { effects.created }

public fun written(effects: &TransactionEffects): vector<ID> { effects.written }

public fun deleted(effects: &TransactionEffects): vector<ID> { effects.deleted }

public fun transferred_to_account(effects: &TransactionEffects): VecMap<ID, address> {
    effects.transferred_to_account
}

public fun transferred_to_object(effects: &TransactionEffects): VecMap<ID, ID> {
    effects.transferred_to_object
}

public fun shared(effects: &TransactionEffects): vector<ID> { effects.shared }

public fun frozen(effects: &TransactionEffects): vector<ID> { effects.frozen }

public fun num_user_events(effects: &TransactionEffects): u64 { effects.num_user_events }

public native fun take_from_address_by_id<T: key>(scenario: &Scenario, account: address, id: ID): T;
public native fun most_recent_id_for_address<T: key>(account: address): Option<ID>;
public native fun ids_for_address<T: key>(account: address): vector<ID>;
public native fun was_taken_from_address(account: address, id: ID): bool;

public fun has_most_recent_for_address<T: key>(account: address): bool {
    most_recent_id_for_address<T>(account).is_some()
}

public fun take_from_address<T: key>(scenario: &Scenario, account: address): T {
    let id = latest(most_recent_id_for_address<T>(account));
    take_from_address_by_id(scenario, account, id)
}

public fun return_to_address<T: key>(account: address, t: T) {
    assert!(was_taken_from_address(account, object::id(&t)), ECantReturnObject);
    transfer::transfer_impl(t, account)
}

public fun take_from_sender_by_id<T: key>(scenario: &Scenario, id: ID): T {
    take_from_address_by_id(scenario, scenario.sender(), id)
}

public fun most_recent_id_for_sender<T: key>(scenario: &Scenario): Option<ID> {
    most_recent_id_for_address<T>(scenario.sender())
}

public fun has_most_recent_for_sender<T: key>(scenario: &Scenario): bool {
    has_most_recent_for_address<T>(scenario.sender())
}

public fun take_from_sender<T: key>(scenario: &Scenario): T {
    take_from_address(scenario, scenario.sender())
}

public fun return_to_sender<T: key>(scenario: &Scenario, t: T) {
    return_to_address(scenario.sender(), t)
}

public fun was_taken_from_sender(scenario: &Scenario, id: ID): bool {
    was_taken_from_address(scenario.sender(), id)
}

public fun ids_for_sender<T: key>(scenario: &Scenario): vector<ID> {
    ids_for_address<T>(scenario.sender())
}

public native fun take_immutable_by_id<T: key>(scenario: &Scenario, id: ID): T;
public native fun most_recent_immutable_id<T: key>(): Option<ID>;
public native fun was_taken_immutable(id: ID): bool;

public fun has_most_recent_immutable<T: key>(): bool {
    most_recent_immutable_id<T>().is_some()
}

public fun take_immutable<T: key>(scenario: &Scenario): T {
    take_immutable_by_id(scenario, latest(most_recent_immutable_id<T>()))
}

public fun return_immutable<T: key>(t: T) {
    assert!(was_taken_immutable(object::id(&t)), ECantReturnObject);
    transfer::freeze_object_impl(t)
}

public native fun take_shared_by_id<T: key>(scenario: &Scenario, id: ID): T;
public native fun most_recent_id_shared<T: key>(): Option<ID>;
native fun was_taken_shared(id: ID): bool;

public fun has_most_recent_shared<T: key>(): bool {
    most_recent_id_shared<T>().is_some()
}

public fun take_shared<T: key>(scenario: &Scenario): T {
    take_shared_by_id(scenario, latest(most_recent_id_shared<T>()))
}

public fun return_shared<T: key>(t: T) {
    assert!(was_taken_shared(object::id(&t)), ECantReturnObject);
    transfer::share_object_impl(t)
}

public fun most_recent_receiving_ticket<T: key>(owner: &ID): Receiving<T> {
    receiving_ticket_by_id(latest(most_recent_id_for_address<T>(owner.to_address())))
}

public fun receiving_ticket_by_id<T: key>(object_id: ID): Receiving<T> {
    let version = allocate_receiving_ticket_for_object<T>(object_id);
    transfer::make_receiver(object_id, version)
}

public fun return_receiving_ticket<T: key>(ticket: Receiving<T>) {
    deallocate_receiving_ticket_for_object(transfer::receiving_id(&ticket))
}

fun latest(id: Option<ID>): ID {
    assert!(id.is_some(), EEmptyInventory);
    id.destroy_some()
}

native fun allocate_receiving_ticket_for_object<T: key>(object_id: ID): u64;
native fun deallocate_receiving_ticket_for_object(id: ID);
native fun end_transaction(): TransactionEffects;
