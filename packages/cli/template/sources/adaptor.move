/// Pays from a wallet, out of what its owner granted.
module {{name}}::{{name}};

use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;

/// Names this service in the registry and in wallets' grants. Only this module can make one: never return one, and give
/// it no other ability.
public struct {{Witness}} has drop {}

/// Pays `amount` of any coin from the wallet to the recipient.
public fun pay<T>(
    wallet: &mut Wallet,
    amount: u64,
    recipient: address,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_payment<_, T>({{Witness}} {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    transfer::public_transfer(coin, recipient);
    let receipt = intent::create_receipt_sig({{Witness}} {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}
