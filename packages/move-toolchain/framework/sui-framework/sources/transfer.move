/// Giving objects an owner. Without `store`, only the module that defines the type may do it.
module sui::transfer;

use sui::party::Party;

/// The right to take one object that was sent to an object's address.
public struct Receiving<phantom T: key> has drop {
    id: ID,
    version: u64,
}

#[allow(unused_const)]
/// Only an object made in this transaction can be shared.
const ESharedNonNewObject: u64 = 0;

public fun transfer<T: key>(obj: T, recipient: address) {
    transfer_impl(obj, recipient)
}

public fun public_transfer<T: key + store>(obj: T, recipient: address) {
    transfer_impl(obj, recipient)
}

public fun freeze_object<T: key>(obj: T) {
    freeze_object_impl(obj)
}

public fun public_freeze_object<T: key + store>(obj: T) {
    freeze_object_impl(obj)
}

public fun share_object<T: key>(obj: T) {
    share_object_impl(obj)
}

public fun public_share_object<T: key + store>(obj: T) {
    share_object_impl(obj)
}

/// Gives an object to a party: from then on, consensus orders who uses it.
public fun party_transfer<T: key>(obj: T, party: Party) {
    let (default, addresses, permissions) = party.into_native();
    party_transfer_impl(obj, default, addresses, permissions)
}

public fun public_party_transfer<T: key + store>(obj: T, party: Party) {
    let (default, addresses, permissions) = party.into_native();
    party_transfer_impl(obj, default, addresses, permissions)
}

public fun receive<T: key>(parent: &mut UID, to_receive: Receiving<T>): T {
    let Receiving { id, version } = to_receive;
    receive_impl(parent.to_address(), id, version)
}

public fun public_receive<T: key + store>(parent: &mut UID, to_receive: Receiving<T>): T {
    let Receiving { id, version } = to_receive;
    receive_impl(parent.to_address(), id, version)
}

public fun receiving_object_id<T: key>(receiving: &Receiving<T>): ID {
    receiving.id
}

public(package) native fun freeze_object_impl<T: key>(obj: T);
public(package) native fun share_object_impl<T: key>(obj: T);
public(package) native fun transfer_impl<T: key>(obj: T, recipient: address);
public(package) native fun party_transfer_impl<T: key>(
    obj: T,
    default_permissions: u64,
    addresses: vector<address>,
    permissions: vector<u64>,
);
native fun receive_impl<T: key>(parent: address, to_receive: ID, version: u64): T;

#[test_only]
public(package) fun make_receiver<T: key>(id: ID, version: u64): Receiving<T> {
    Receiving { id, version }
}

#[test_only]
public(package) fun receiving_id<T: key>(r: &Receiving<T>): ID {
    r.id
}
