/// Swaps a wallet's coins at any venue, in several calls of one transaction: `begin` takes the coin out of the wallet, the
/// caller trades it, and `finish` puts the proceeds into the wallet. An order stands between them, which nothing but
/// `finish` can end.
module relay_swap::relay_swap;

use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, WalletSwapWitness};
use wallet::wallet::Wallet;

/// Names this service in the adaptor registry and in wallets' grants.
public struct RelaySwap has drop {}

/// A begun swap. Without abilities it can be neither kept nor dropped.
public struct Order<phantom In, phantom Out> {
    amount: u64,
    witness: WalletSwapWitness<RelaySwap, In, Out>,
}

/// Takes the coin out for a trade. `min_out` is the least that `finish` must get.
public fun begin<In, Out>(
    wallet: &mut Wallet,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<In>, Order<In, Out>) {
    let request = intent::request_swap<_, In, Out>(RelaySwap {}, amount, min_out);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    (coin, Order { amount, witness })
}

/// Puts what was bought into the wallet that paid.
public fun finish<In, Out>(wallet: &mut Wallet, order: Order<In, Out>, bought: Coin<Out>) {
    let Order { amount, witness } = order;
    let receipt = intent::create_swap_receipt(RelaySwap {}, amount, bought.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, bought)
}
