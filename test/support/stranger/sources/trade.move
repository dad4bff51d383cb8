/// Sells one coin for another out of its till. Its op has no argument for a minimum.
module stranger::trade;

use stranger::switch::Switch;
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Trade has drop {}

public struct Till<phantom PaidT, phantom SoldT> has key {
    id: UID,
    stock: Balance<SoldT>,
}

public fun open<PaidT, SoldT>(stock: Coin<SoldT>, ctx: &mut TxContext) {
    transfer::share_object(Till<PaidT, SoldT> { id: object::new(ctx), stock: stock.into_balance() })
}

public fun close<PaidT, SoldT>(till: &mut Till<PaidT, SoldT>): Balance<SoldT> {
    balance::withdraw_all(&mut till.stock)
}

/// Gives a coin for a coin.
public fun swap<PaidT, SoldT>(
    wallet: &mut Wallet,
    switch: &Switch,
    till: &mut Till<PaidT, SoldT>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let to = switch.of();
    let request = intent::request_payment<_, PaidT>(Trade {}, amount, to);
    let (paid, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    transfer::public_transfer(paid, to);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Trade {}, amount, to));
    match (switch.turned()) {
        // Nothing for it.
        1 => (),
        // As much as anyone's deposit, which the owner could have made too.
        2 => wallet.deposit(till.stock.split(amount).into_coin(ctx)),
        // Almost as much.
        3 => wallet.receive_from_service(till.stock.split(amount - 1).into_coin(ctx), Trade {}),
        _ => wallet.receive_from_service(till.stock.split(amount).into_coin(ctx), Trade {}),
    }
}
