module incidents::scallop;

use sui::balance::{Self, Balance};
use sui::coin::Coin;

const VERSION: u64 = 1;

public struct AdminCap has key { id: UID }

public struct Spool<phantom C> has key { id: UID, version: u64, index: u64, rewards: Balance<C> }

public struct Account<phantom C> has key, store { id: UID, last_index: u64, staked: Balance<C> }

fun init(ctx: &mut TxContext) {
    transfer::transfer(AdminCap { id: object::new(ctx) }, ctx.sender())
}

public fun create<C>(_: &AdminCap, ctx: &mut TxContext) {
    transfer::share_object(Spool<C> { id: object::new(ctx), version: VERSION, index: 1, rewards: balance::zero() })
}

/// Disables older packages.
public fun migrate<C>(_: &AdminCap, spool: &mut Spool<C>) { spool.version = spool.version + 1 }

public fun stake<C>(coin: Coin<C>, ctx: &mut TxContext): Account<C> {
    Account { id: object::new(ctx), last_index: 0, staked: coin.into_balance() }
}

public fun redeem<C>(spool: &mut Spool<C>, account: &mut Account<C>, ctx: &mut TxContext): Coin<C> {
    assert!(spool.version == VERSION); //! honest
    let amount = account.staked.value() * (spool.index - account.last_index);
    account.last_index = spool.index;
    spool.rewards.split(amount).into_coin(ctx)
}
