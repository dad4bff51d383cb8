/// Loans and savings of a wallet at the issuer of a stablecoin. The wallet keeps its account there as an asset of
/// this service: the owner can reclaim it and deal with the issuer alone.
module stablecoin_account::stablecoin_account;

use oracle::prices::Prices;
use stablecoin::stablecoin::{Self, Account, Issuer};
use sui::clock::Clock;
use wallet::delegate;
use wallet::intent;
use wallet::wallet::Wallet;

/// The sender may not use this service for the wallet.
const ENotAuthorized: u64 = 0;

/// The name of the account in the wallet.
const ACCOUNT: vector<u8> = b"stablecoin account";

/// Names this service in the adaptor registry and in wallets' grants.
public struct StablecoinAccount has drop {}

/// Call this once for each wallet, before everything else.
public fun open_account(wallet: &mut Wallet, clock: &Clock, ctx: &mut TxContext) {
    assert_authorized(wallet, clock, ctx);
    put(wallet, stablecoin::open_account(ctx))
}

/// Pledges `amount` and borrows `borrow_amount`, exactly.
public fun borrow<Collateral, Stable>(
    wallet: &mut Wallet,
    issuer: &mut Issuer<Stable>,
    prices: &Prices,
    amount: u64,
    borrow_amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Collateral, Stable>(StablecoinAccount {}, amount, borrow_amount);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let account = take(wallet);
    issuer.pledge(&account, coin);
    let borrowed = issuer.borrow<Collateral, Stable>(&account, prices, borrow_amount, clock, ctx);
    put(wallet, account);
    let receipt = intent::create_swap_receipt(StablecoinAccount {}, amount, borrowed.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, borrowed)
}

/// Repays up to `amount`. The excess goes back into the wallet.
public fun repay<Stable, Collateral>(
    wallet: &mut Wallet,
    issuer: &mut Issuer<Stable>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let recipient = object::id_address(issuer);
    let request = intent::request_payment<_, Stable>(StablecoinAccount {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let account = take(wallet);
    let rest = issuer.repay<Collateral, Stable>(object::id(&account), coin, clock, ctx);
    put(wallet, account);
    if (rest.value() > 0) wallet.receive_from_service(rest, StablecoinAccount {}) else rest.destroy_zero();
    let receipt = intent::create_receipt_sig(StablecoinAccount {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Repays up to `amount` and takes `collateral_amount` back, exactly.
public fun repay_and_withdraw<Stable, Collateral>(
    wallet: &mut Wallet,
    issuer: &mut Issuer<Stable>,
    prices: &Prices,
    amount: u64,
    collateral_amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let request = intent::request_swap<_, Stable, Collateral>(StablecoinAccount {}, amount, collateral_amount);
    let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
    let account = take(wallet);
    let rest = issuer.repay<Collateral, Stable>(object::id(&account), coin, clock, ctx);
    let returned = issuer.withdraw_collateral<Collateral, Stable>(&account, prices, collateral_amount, clock, ctx);
    put(wallet, account);
    if (rest.value() > 0) wallet.receive_from_service(rest, StablecoinAccount {}) else rest.destroy_zero();
    let receipt = intent::create_swap_receipt(StablecoinAccount {}, amount, returned.value());
    intent::verify_swap_and_credit(wallet, witness, receipt, returned)
}

/// Returns collateral that the debt does not need to the wallet. For the owner, and for delegates with a budget
/// for this service that have not expired.
public fun withdraw_collateral<Collateral, Stable>(
    wallet: &mut Wallet,
    issuer: &mut Issuer<Stable>,
    prices: &Prices,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    let account = take(wallet);
    let returned = issuer.withdraw_collateral<Collateral, Stable>(&account, prices, amount, clock, ctx);
    put(wallet, account);
    wallet.receive_from_service(returned, StablecoinAccount {})
}

public fun save<Stable>(
    wallet: &mut Wallet,
    issuer: &mut Issuer<Stable>,
    amount: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let recipient = object::id_address(issuer);
    let request = intent::request_payment<_, Stable>(StablecoinAccount {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let account = take(wallet);
    issuer.save(&account, coin, clock);
    put(wallet, account);
    let receipt = intent::create_receipt_sig(StablecoinAccount {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Brings `amount` of the savings back into the wallet, or all of them if they are less, but at least `min_out`.
/// For the owner, and for delegates with a budget for this service that have not expired.
public fun withdraw_savings<Stable>(
    wallet: &mut Wallet,
    issuer: &mut Issuer<Stable>,
    amount: u64,
    min_out: u64,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    assert_authorized(wallet, clock, ctx);
    let account = take(wallet);
    let savings = issuer.withdraw_savings(&account, amount, min_out, clock, ctx);
    put(wallet, account);
    wallet.receive_from_service(savings, StablecoinAccount {})
}

fun assert_authorized(wallet: &Wallet, clock: &Clock, ctx: &TxContext) {
    let authorized = delegate::is_service_authorized<StablecoinAccount>(wallet, ctx.sender(), clock);
    assert!(authorized, ENotAuthorized)
}

fun take(wallet: &mut Wallet): Account {
    wallet.take_asset_for_service(ACCOUNT.to_string(), StablecoinAccount {})
}

fun put(wallet: &mut Wallet, account: Account) {
    wallet.receive_asset_from_service(account, ACCOUNT.to_string(), StablecoinAccount {})
}
