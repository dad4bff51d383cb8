/// A badge that anyone can make.
module accomplice::badge;

public struct Badge has key, store { id: UID }

public fun new(ctx: &mut TxContext): Badge { Badge { id: object::new(ctx) } }
