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
