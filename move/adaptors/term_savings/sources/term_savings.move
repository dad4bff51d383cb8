/// Savings of a wallet for a fixed term. The interest of each deposit is reserved when it is made, so it is
/// available at the end of the term. An earlier withdrawal pays the principal only.
///
/// A deposit is an object that the wallet keeps for this service. Its owner can reclaim it from the wallet, and
/// its holder can redeem it.
module term_savings::term_savings;

use std::string::String;
use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use sui::sui::SUI;
use wallet::delegate;
use wallet::intent;
use wallet::wallet::Wallet;

/// The deposit belongs to other savings.
const EWrongSavings: u64 = 0;
/// The sender may not use this service for the wallet.
const ENotAuthorized: u64 = 1;
/// The reserve cannot pay the interest of this deposit.
const EReserveTooSmall: u64 = 2;

const BPS: u128 = 10_000;

/// Names this service in the adaptor registry and in wallets' grants.
public struct TermSavings has drop {}

public struct Savings has key {
    id: UID,
    /// How long a deposit must stay to earn interest, in milliseconds.
    term_ms: u64,
    /// Interest over one term, in basis points of the principal.
    rate_bps: u64,
    reserve: Balance<SUI>,
    /// The principal of all deposits and the interest that is reserved for them.
    owed: Balance<SUI>,
}

/// The claim of one deposit.
public struct Deposit has key, store {
    id: UID,
    savings: ID,
    principal: u64,
    interest: u64,
    matures_at_ms: u64,
}

public struct Deposited has copy, drop {
    savings: ID,
    deposit: ID,
    principal: u64,
    interest: u64,
    matures_at_ms: u64,
}

public struct Redeemed has copy, drop {
    savings: ID,
    deposit: ID,
    principal: u64,
    /// Zero before the term was over.
    interest: u64,
}

public fun create(term_ms: u64, rate_bps: u64, ctx: &mut TxContext) {
    transfer::share_object(Savings {
        id: object::new(ctx),
        term_ms,
        rate_bps,
        reserve: balance::zero(),
        owed: balance::zero(),
    })
}

/// Adds to the reserve for interest.
public fun fund(savings: &mut Savings, coin: Coin<SUI>) {
    savings.reserve.join(coin.into_balance());
}

/// Deposits `amount` of the wallet's, which keeps the deposit under `name`.
public fun deposit(
    wallet: &mut Wallet,
    savings: &mut Savings,
    amount: u64,
    name: String,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let recipient = object::id_address(savings);
    let request = intent::request_payment<_, SUI>(TermSavings {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    let deposit = savings.open(coin, clock, ctx);
    wallet.receive_asset_from_service(deposit, name, TermSavings {});
    let receipt = intent::create_receipt_sig(TermSavings {}, amount, recipient);
    intent::verify_and_clear(wallet, witness, receipt)
}

/// Brings the deposit of that name back into the wallet, with interest once the term is over. For the owner, and for
/// delegates with a budget for this service that have not expired.
public fun withdraw(
    wallet: &mut Wallet,
    savings: &mut Savings,
    name: String,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let authorized = delegate::is_service_authorized<TermSavings>(wallet, ctx.sender(), clock);
    assert!(authorized, ENotAuthorized);
    let deposit = wallet.take_asset_for_service<_, Deposit>(name, TermSavings {});
    let coin = savings.redeem(deposit, clock, ctx);
    wallet.receive_from_service(coin, TermSavings {})
}

/// Pays the holder of a deposit that was reclaimed from its wallet.
public fun redeem(savings: &mut Savings, deposit: Deposit, clock: &Clock, ctx: &mut TxContext): Coin<SUI> {
    let Deposit { id, savings: made_at, principal, interest, matures_at_ms } = deposit;
    assert!(made_at == object::id(savings), EWrongSavings);
    let mut paid = savings.owed.split(principal);
    let set_aside = savings.owed.split(interest);
    let earned = clock.timestamp_ms() >= matures_at_ms;
    event::emit(Redeemed {
        savings: made_at,
        deposit: id.to_inner(),
        principal,
        interest: if (earned) interest else 0,
    });
    id.delete();
    if (earned) paid.join(set_aside) else savings.reserve.join(set_aside);
    paid.into_coin(ctx)
}

/// The interest that is available for new deposits.
public fun reserve(savings: &Savings): u64 {
    savings.reserve.value()
}

/// The principal of all deposits and the interest that is reserved for them.
public fun owed(savings: &Savings): u64 {
    savings.owed.value()
}

public fun principal(deposit: &Deposit): u64 {
    deposit.principal
}

/// The interest of the deposit over its term.
public fun interest(deposit: &Deposit): u64 {
    deposit.interest
}

public fun matures_at_ms(deposit: &Deposit): u64 {
    deposit.matures_at_ms
}

fun open(savings: &mut Savings, coin: Coin<SUI>, clock: &Clock, ctx: &mut TxContext): Deposit {
    let principal = coin.value();
    let interest = (principal as u128) * (savings.rate_bps as u128) / BPS;
    assert!(interest <= savings.reserve.value() as u128, EReserveTooSmall);
    let interest = interest as u64;
    savings.owed.join(coin.into_balance());
    savings.owed.join(savings.reserve.split(interest));
    let deposit = Deposit {
        id: object::new(ctx),
        savings: object::id(savings),
        principal,
        interest,
        matures_at_ms: clock.timestamp_ms() + savings.term_ms,
    };
    event::emit(Deposited {
        savings: deposit.savings,
        deposit: object::id(&deposit),
        principal,
        interest,
        matures_at_ms: deposit.matures_at_ms,
    });
    deposit
}
