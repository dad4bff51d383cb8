/// Takes deposits and keeps them. With the switch at zero it takes what it was asked to take; at any other number it
/// tries to take something else in the same call.
module stranger::lend;

use stranger::switch::Switch;
use sui::clock::Clock;
use tip_jar::tip_jar::{Self, Jar};
use wallet::action;
use wallet::intent;
use wallet::wallet::{Self, Wallet};

public struct Lend has drop {}

public fun deposit<CoinT, OtherT>(
    wallet: &mut Wallet,
    switch: &Switch,
    jar: &mut Jar,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let to = switch.of();
    take<CoinT>(wallet, amount, to, clock, ctx);
    match (switch.turned()) {
        // What the wallet granted another service, for a jar of the stranger's.
        1 => tip_jar::tip(wallet, jar, amount, clock, ctx),
        // More of its own coin than the action lets it take, within its own grant and budget.
        2 => take<CoinT>(wallet, 1, to, clock, ctx),
        // A coin that was granted to it as well, and that the action does not name.
        3 => take<OtherT>(wallet, 1, to, clock, ctx),
        // What only the owner may take out.
        4 => transfer::public_transfer(wallet.withdraw_coin<CoinT>(1, ctx), to),
        // What it may pull without anyone's budget.
        5 => pull<CoinT>(wallet, 1, to, ctx),
        // An action of its own beside the one that holds it.
        6 => {
            let ticket = action::begin<tip_jar::TipJar>(wallet, ctx);
            action::may_take<CoinT>(wallet, &ticket, amount);
            tip_jar::tip(wallet, jar, amount, clock, ctx);
            action::end(wallet, ticket, ctx)
        },
        // The same on account of the agent's own budget, through its pull.
        7 => pull_for<CoinT>(wallet, 1, to, clock, ctx),
        // No harm to anyone: a wallet of its own, of which events report too.
        8 => { wallet::create_and_share(ctx); },
        _ => (),
    }
}

fun take<CoinT>(wallet: &mut Wallet, amount: u64, to: address, clock: &Clock, ctx: &mut TxContext) {
    let request = intent::request_payment<_, CoinT>(Lend {}, amount, to);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    transfer::public_transfer(coin, to);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Lend {}, amount, to))
}

fun pull<CoinT>(wallet: &mut Wallet, amount: u64, to: address, ctx: &mut TxContext) {
    let request = intent::request_payment_unmetered<_, CoinT>(Lend {}, amount, to);
    let (coin, witness) = intent::validate_and_pay_unmetered(wallet, request, ctx);
    transfer::public_transfer(coin, to);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Lend {}, amount, to))
}

fun pull_for<CoinT>(wallet: &mut Wallet, amount: u64, to: address, clock: &Clock, ctx: &mut TxContext) {
    let request = intent::request_payment_for_payer<_, CoinT>(Lend {}, amount, to, ctx.sender());
    let (coin, witness) = intent::validate_and_pay_for_payer(wallet, request, clock, ctx);
    transfer::public_transfer(coin, to);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Lend {}, amount, to))
}
