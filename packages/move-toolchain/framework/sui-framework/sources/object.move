/// Object ids: `ID` is a name anyone may copy, `UID` is the identity itself.
module sui::object;

use std::bcs;
use sui::address;

public use fun id_to_address as ID.to_address;
public use fun id_to_bytes as ID.to_bytes;
public use fun uid_as_inner as UID.as_inner;
public use fun uid_to_inner as UID.to_inner;
public use fun uid_to_address as UID.to_address;
public use fun uid_to_bytes as UID.to_bytes;

/// The system's objects.
const CLOCK: address = @0x6;
const AUTHENTICATOR_STATE: address = @0x7;
const RANDOM: address = @0x8;
const ADDRESS_ALIAS_STATE: address = @0xa;
const COIN_REGISTRY: address = @0xc;
const DISPLAY_REGISTRY: address = @0xd;
const DENY_LIST: address = @0x403;
const ACCUMULATOR_ROOT: address = @0xacc;

public struct ID has copy, drop, store {
    bytes: address,
}

public struct UID has store {
    id: ID,
}

public fun id_to_bytes(id: &ID): vector<u8> {
    bcs::to_bytes(&id.bytes)
}

public fun id_to_address(id: &ID): address {
    id.bytes
}

public fun id_from_bytes(bytes: vector<u8>): ID {
    id_from_address(address::from_bytes(bytes))
}

public fun id_from_address(bytes: address): ID {
    ID { bytes }
}

public(package) fun clock(): UID {
    UID { id: id_from_address(CLOCK) }
}

public(package) fun authenticator_state(): UID {
    UID { id: id_from_address(AUTHENTICATOR_STATE) }
}

public(package) fun randomness_state(): UID {
    UID { id: id_from_address(RANDOM) }
}

public(package) fun sui_deny_list_object_id(): UID {
    UID { id: id_from_address(DENY_LIST) }
}

public(package) fun address_alias_state(): UID {
    UID { id: id_from_address(ADDRESS_ALIAS_STATE) }
}

public(package) fun sui_coin_registry_object_id(): UID {
    UID { id: id_from_address(COIN_REGISTRY) }
}

public(package) fun sui_coin_registry_address(): address {
    COIN_REGISTRY
}

public(package) fun sui_display_registry_object_id(): UID {
    UID { id: id_from_address(DISPLAY_REGISTRY) }
}

public(package) fun sui_accumulator_root_object_id(): UID {
    UID { id: id_from_address(ACCUMULATOR_ROOT) }
}

public(package) fun sui_accumulator_root_address(): address {
    ACCUMULATOR_ROOT
}

public fun uid_as_inner(uid: &UID): &ID {
    &uid.id
}

public fun uid_to_inner(uid: &UID): ID {
    uid.id
}

public fun uid_to_bytes(uid: &UID): vector<u8> {
    uid.id.to_bytes()
}

public fun uid_to_address(uid: &UID): address {
    uid.id.bytes
}

public fun new(ctx: &mut TxContext): UID {
    UID { id: id_from_address(ctx.fresh_object_address()) }
}

public fun delete(id: UID) {
    let UID { id: ID { bytes } } = id;
    delete_impl(bytes)
}

public fun id<T: key>(obj: &T): ID {
    *borrow_id(obj)
}

public fun borrow_id<T: key>(obj: &T): &ID {
    borrow_uid(obj).as_inner()
}

public fun id_bytes<T: key>(obj: &T): vector<u8> {
    borrow_uid(obj).to_bytes()
}

public fun id_address<T: key>(obj: &T): address {
    borrow_uid(obj).to_address()
}

/// The identity of a dynamic field, which derives from its parent and name.
public(package) fun new_uid_from_hash(bytes: address): UID {
    record_new_uid(bytes);
    UID { id: id_from_address(bytes) }
}

native fun borrow_uid<T: key>(obj: &T): &UID;
native fun delete_impl(id: address);
native fun record_new_uid(id: address);

#[test_only]
public fun last_created(ctx: &TxContext): ID {
    id_from_address(ctx.last_created_object_id())
}
