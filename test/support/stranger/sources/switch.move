/// Which way the stranger's adaptors behave, for the stranger to say at any time.
module stranger::switch;

const ENotYours: u64 = 0;

public struct Switch has key {
    id: UID,
    of: address,
    turned: u8,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(Switch { id: object::new(ctx), of: ctx.sender(), turned: 0 })
}

public fun turn(switch: &mut Switch, to: u8, ctx: &TxContext) {
    assert!(ctx.sender() == switch.of, ENotYours);
    switch.turned = to
}

public fun turned(switch: &Switch): u8 {
    switch.turned
}

public fun of(switch: &Switch): address {
    switch.of
}
