/// Who may use an object that consensus orders: one owner, with all permissions.
module sui::party;

use sui::vec_map::{Self, VecMap};

/// To read, to change, to delete and to transfer.
const ALL_PERMISSIONS: u64 = 15;
const NO_PERMISSIONS: u64 = 0;

public struct Party has copy, drop {
    /// Of everyone else.
    default: Permissions,
    members: VecMap<address, Permissions>,
}

public struct Permissions(u64) has copy, drop;

public fun single_owner(owner: address): Party {
    let mut members = vec_map::empty();
    members.insert(owner, Permissions(ALL_PERMISSIONS));
    Party { default: Permissions(NO_PERMISSIONS), members }
}

public macro fun transfer<$T: key>($self: Party, $obj: $T) {
    let party = $self;
    sui::transfer::party_transfer($obj, party)
}

public macro fun public_transfer<$T: key + store>($self: Party, $obj: $T) {
    let party = $self;
    sui::transfer::public_party_transfer($obj, party)
}

public(package) fun into_native(party: Party): (u64, vector<address>, vector<u64>) {
    let Party { default: Permissions(default), members } = party;
    let (addresses, permissions) = members.into_keys_values();
    (default, addresses, permissions.map!(|Permissions(bits)| bits))
}
