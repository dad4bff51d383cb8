/// Jars that anyone can tip from a wallet and only their owner can empty.
module tip_jar::tip_jar;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

/// Only the owner of the jar may empty it.
const ENotOwner: u64 = 0;

/// Names this service in the adaptor registry and in wallets' grants.
public struct TipJar has drop {}

public struct Jar has key {
    id: UID,
    owner: address,
    tips: Balance<SUI>,
    /// All tips so far, in MIST.
    received: u64,
}

public struct Tipped has copy, drop {
    jar: ID,
    wallet_id: ID,
    amount: u64,
}

/// Opens a shared jar of the sender.
public fun open(ctx: &mut TxContext) {
    let owner = ctx.sender();
    transfer::share_object(Jar { id: object::new(ctx), owner, tips: balance::zero(), received: 0 })
}

/// Pays `amount` from the wallet into the jar.
public fun tip(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(TipJar {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    jar.received = jar.received + amount;
    jar.tips.join(coin.into_balance());
    event::emit(Tipped { jar: object::id(jar), wallet_id: wallet.id(), amount });
    let receipt = intent::create_receipt_sig(TipJar {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Everything in the jar, for its owner.
public fun empty(jar: &mut Jar, ctx: &mut TxContext): Coin<SUI> {
    assert!(ctx.sender() == jar.owner, ENotOwner);
    jar.tips.withdraw_all().into_coin(ctx)
}

public fun held(jar: &Jar): u64 {
    jar.tips.value()
}

public fun received(jar: &Jar): u64 {
    jar.received
}
