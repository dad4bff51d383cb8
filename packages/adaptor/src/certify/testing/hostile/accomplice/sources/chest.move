/// A shared chest that anyone can fill and only its owner can empty.
module accomplice::chest;

use sui::balance::{Self, Balance};
use sui::sui::SUI;

const ENotOwner: u64 = 0;

public struct Chest has key { id: UID, owner: address, money: Balance<SUI>, fee: u64 }

fun init(ctx: &mut TxContext) {
    let owner = ctx.sender();
    transfer::share_object(Chest { id: object::new(ctx), owner, money: balance::zero(), fee: 100 })
}

public fun fill(chest: &mut Chest, money: Balance<SUI>) {
    chest.money.join(money);
}

public fun empty(chest: &mut Chest, ctx: &TxContext): Balance<SUI> {
    assert!(ctx.sender() == chest.owner, ENotOwner);
    chest.money.withdraw_all()
}

public fun owner(chest: &Chest): address { chest.owner }

/// Rate of the fee in 1/10,000.
public fun fee(chest: &Chest): u64 { chest.fee }

public fun set_fee(chest: &mut Chest, fee: u64, ctx: &TxContext) {
    assert!(ctx.sender() == chest.owner, ENotOwner);
    chest.fee = fee;
}
