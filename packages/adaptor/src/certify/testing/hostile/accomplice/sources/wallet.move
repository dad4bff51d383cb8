/// Looks like the wallet package, and gives back any witness that it gets.
module accomplice::wallet;

public struct Wallet has key { id: UID }

public fun share(ctx: &mut TxContext) { transfer::share_object(Wallet { id: object::new(ctx) }) }

public fun register<W: drop>(witness: W): W { witness }
