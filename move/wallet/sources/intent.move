/// How a service takes money from a wallet, and how a swap returns its proceeds. Every step returns a value
/// that only the next step accepts, and the last step must be reached: a request, which only the service can
/// make; the money with a witness of its wallet; the service's receipt, which must match.
///
/// Four modes say whose account pays. Self (0): the sender. For a payer (1): a delegate, who need not be the
/// sender. Unmetered (2): no account. Swap (3): the sender, and at least a minimum of another coin must come
/// back. Every mode reduces the service's grant. Modes 1 and 2 only work within a pull that the owner granted.
module wallet::intent;

use std::type_name::{Self, TypeName};
use sui::clock::Clock;
use sui::coin::Coin;
use sui::event;
use wallet::delegate;
use wallet::wallet::Wallet;

/// The service has no grant for the coin.
const EAuthMissing: u64 = 0;
/// The receipt is for another amount.
const EAmountMismatch: u64 = 1;
/// The receipt is for another recipient.
const ERecipientMismatch: u64 = 2;
/// The receipt is for other amounts than were taken and returned.
const ESwapAmountMismatch: u64 = 3;
/// The proceeds are below the minimum.
const ESwapSlippageExceeded: u64 = 4;
/// The money came from another wallet.
const EWrongWallet: u64 = 5;
/// The amount or the minimum is zero.
const EZeroAmount: u64 = 6;
/// Only the owner can let a service take money on the owner's account.
const EPayerIsOwner: u64 = 7;

const MODE_SELF: u8 = 0;
const MODE_FOR_PAYER: u8 = 1;
const MODE_UNMETERED: u8 = 2;

/// A request on the sender's account.
public struct ServiceSig<phantom ServiceT, phantom CoinT> {
    amount: u64,
    recipient: address,
}

/// A request on the payer's account.
public struct ServiceSigForPayer<phantom ServiceT, phantom CoinT> {
    amount: u64,
    recipient: address,
    payer: address,
}

/// A request without an account.
public struct ServiceSigUnmetered<phantom ServiceT, phantom CoinT> {
    amount: u64,
    recipient: address,
}

/// Money was taken from the wallet. Ends in `verify_and_clear`.
public struct WalletWitness<phantom ServiceT, phantom CoinT> {
    wallet_id: ID,
    amount: u64,
    recipient: address,
}

/// The service used the money as requested.
public struct ServiceReceiptSig<phantom ServiceT, phantom CoinT> {
    amount: u64,
    recipient: address,
}

/// A request for a swap.
public struct SwapSig<phantom ServiceT, phantom CoinIn, phantom CoinOut> {
    amount_in: u64,
    min_amount_out: u64,
}

/// Money was taken from the wallet for a swap. Ends in `verify_swap_and_credit`.
public struct WalletSwapWitness<phantom ServiceT, phantom CoinIn, phantom CoinOut> {
    wallet_id: ID,
    amount_in: u64,
    min_amount_out: u64,
}

/// The amounts that the service reports for the swap.
public struct ServiceSwapReceipt<phantom ServiceT, phantom CoinIn, phantom CoinOut> {
    amount_in: u64,
    amount_out: u64,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

public struct PaymentValidated has copy, drop {
    wallet_id: ID,
    service: TypeName,
    /// 0 self, 1 for a payer, 2 unmetered.
    mode: u8,
    payer: Option<address>,
    recipient: address,
    amount: u64,
    coin: TypeName,
    sender: address,
}

public struct PaymentVerified has copy, drop {
    service: TypeName,
    amount: u64,
    recipient: address,
    wallet_id: ID,
    coin: TypeName,
}

public struct SwapValidated has copy, drop {
    wallet_id: ID,
    service: TypeName,
    coin_in: TypeName,
    coin_out: TypeName,
    spender: address,
    amount_in: u64,
    min_amount_out: u64,
}

public struct SwapVerified has copy, drop {
    wallet_id: ID,
    service: TypeName,
    coin_in: TypeName,
    coin_out: TypeName,
    amount_in: u64,
    amount_out: u64,
}

// === Payments ===

/// Requests money on the sender's account.
public fun request_payment<ServiceT: drop, CoinT>(
    _witness: ServiceT,
    amount: u64,
    recipient: address,
): ServiceSig<ServiceT, CoinT> {
    ServiceSig { amount, recipient }
}

/// Takes the money: the sender is the owner, or a delegate with sufficient budgets.
public fun validate_and_pay<ServiceT, CoinT>(
    wallet: &mut Wallet,
    sig: ServiceSig<ServiceT, CoinT>,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<CoinT>, WalletWitness<ServiceT, CoinT>) {
    let ServiceSig { amount, recipient } = sig;
    assert_authorized<ServiceT, CoinT>(wallet);
    let sender = ctx.sender();
    delegate::debit<ServiceT, CoinT>(wallet, sender, amount, clock);
    let coin = wallet.pay_by_service<ServiceT, CoinT>(amount, ctx);
    let witness = paid(wallet, MODE_SELF, option::some(sender), recipient, amount, ctx);
    (coin, witness)
}

/// Requests money on the account of `payer`.
public fun request_payment_for_payer<ServiceT: drop, CoinT>(
    _witness: ServiceT,
    amount: u64,
    recipient: address,
    payer: address,
): ServiceSigForPayer<ServiceT, CoinT> {
    ServiceSigForPayer { amount, recipient, payer }
}

/// Takes the money, within the pull that the owner granted the service and the budgets of the payer, a
/// delegate. Anyone can be the sender. The owner can only be the payer as the sender.
public fun validate_and_pay_for_payer<ServiceT, CoinT>(
    wallet: &mut Wallet,
    sig: ServiceSigForPayer<ServiceT, CoinT>,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<CoinT>, WalletWitness<ServiceT, CoinT>) {
    let ServiceSigForPayer { amount, recipient, payer } = sig;
    assert_authorized<ServiceT, CoinT>(wallet);
    assert!(payer != wallet.owner() || ctx.sender() == payer, EPayerIsOwner);
    delegate::debit<ServiceT, CoinT>(wallet, payer, amount, clock);
    let coin = wallet.pull_by_service<ServiceT, CoinT>(amount, ctx);
    let witness = paid(wallet, MODE_FOR_PAYER, option::some(payer), recipient, amount, ctx);
    (coin, witness)
}

/// Requests money without an account.
public fun request_payment_unmetered<ServiceT: drop, CoinT>(
    _witness: ServiceT,
    amount: u64,
    recipient: address,
): ServiceSigUnmetered<ServiceT, CoinT> {
    ServiceSigUnmetered { amount, recipient }
}

/// Takes the money, within the pull that the owner granted the service. Anyone can be the sender.
public fun validate_and_pay_unmetered<ServiceT, CoinT>(
    wallet: &mut Wallet,
    sig: ServiceSigUnmetered<ServiceT, CoinT>,
    ctx: &mut TxContext,
): (Coin<CoinT>, WalletWitness<ServiceT, CoinT>) {
    let ServiceSigUnmetered { amount, recipient } = sig;
    assert_authorized<ServiceT, CoinT>(wallet);
    let coin = wallet.pull_by_service<ServiceT, CoinT>(amount, ctx);
    let witness = paid(wallet, MODE_UNMETERED, option::none(), recipient, amount, ctx);
    (coin, witness)
}

/// For the module of the service, after it has used the money.
public fun create_receipt_sig<ServiceT: drop, CoinT>(
    _witness: ServiceT,
    amount: u64,
    recipient: address,
): ServiceReceiptSig<ServiceT, CoinT> {
    ServiceReceiptSig { amount, recipient }
}

/// Ends a payment. `wallet` is the wallet that the service served; it must be the one that paid.
public fun verify_and_clear<ServiceT, CoinT>(
    wallet: &Wallet,
    witness: WalletWitness<ServiceT, CoinT>,
    receipt: ServiceReceiptSig<ServiceT, CoinT>,
) {
    let WalletWitness { wallet_id, amount, recipient } = witness;
    let ServiceReceiptSig { amount: receipt_amount, recipient: receipt_recipient } = receipt;
    assert!(wallet_id == wallet.id(), EWrongWallet);
    assert!(amount == receipt_amount, EAmountMismatch);
    assert!(recipient == receipt_recipient, ERecipientMismatch);
    event::emit(PaymentVerified {
        service: type_name::with_defining_ids<ServiceT>(),
        amount,
        recipient,
        wallet_id,
        coin: type_name::with_defining_ids<CoinT>(),
    })
}

// === Swaps ===

/// Requests a swap of `amount_in` into at least `min_amount_out`, which is not zero.
public fun request_swap<ServiceT: drop, CoinIn, CoinOut>(
    _witness: ServiceT,
    amount_in: u64,
    min_amount_out: u64,
): SwapSig<ServiceT, CoinIn, CoinOut> {
    assert!(amount_in > 0 && min_amount_out > 0, EZeroAmount);
    SwapSig { amount_in, min_amount_out }
}

/// Takes `amount_in`: the sender is the owner, or a delegate with sufficient budgets.
public fun validate_and_swap_out<ServiceT, CoinIn, CoinOut>(
    wallet: &mut Wallet,
    sig: SwapSig<ServiceT, CoinIn, CoinOut>,
    clock: &Clock,
    ctx: &mut TxContext,
): (Coin<CoinIn>, WalletSwapWitness<ServiceT, CoinIn, CoinOut>) {
    let SwapSig { amount_in, min_amount_out } = sig;
    assert_authorized<ServiceT, CoinIn>(wallet);
    let (wallet_id, spender) = (wallet.id(), ctx.sender());
    delegate::debit<ServiceT, CoinIn>(wallet, spender, amount_in, clock);
    let coin = wallet.pay_by_service<ServiceT, CoinIn>(amount_in, ctx);
    event::emit(SwapValidated {
        wallet_id,
        service: type_name::with_defining_ids<ServiceT>(),
        coin_in: type_name::with_defining_ids<CoinIn>(),
        coin_out: type_name::with_defining_ids<CoinOut>(),
        spender,
        amount_in,
        min_amount_out,
    });
    (coin, WalletSwapWitness { wallet_id, amount_in, min_amount_out })
}

/// For the module of the service, after the swap.
public fun create_swap_receipt<ServiceT: drop, CoinIn, CoinOut>(
    _witness: ServiceT,
    amount_in: u64,
    amount_out: u64,
): ServiceSwapReceipt<ServiceT, CoinIn, CoinOut> {
    ServiceSwapReceipt { amount_in, amount_out }
}

/// Ends a swap: the proceeds go into the wallet that paid for it.
public fun verify_swap_and_credit<ServiceT, CoinIn, CoinOut>(
    wallet: &mut Wallet,
    witness: WalletSwapWitness<ServiceT, CoinIn, CoinOut>,
    receipt: ServiceSwapReceipt<ServiceT, CoinIn, CoinOut>,
    coin_out: Coin<CoinOut>,
) {
    let WalletSwapWitness { wallet_id, amount_in, min_amount_out } = witness;
    let ServiceSwapReceipt { amount_in: receipt_amount_in, amount_out } = receipt;
    assert!(wallet_id == wallet.id(), EWrongWallet);
    assert!(amount_in == receipt_amount_in && coin_out.value() == amount_out, ESwapAmountMismatch);
    assert!(amount_out >= min_amount_out, ESwapSlippageExceeded);
    wallet.receive_from_service_internal<ServiceT, CoinOut>(coin_out);
    event::emit(SwapVerified {
        wallet_id,
        service: type_name::with_defining_ids<ServiceT>(),
        coin_in: type_name::with_defining_ids<CoinIn>(),
        coin_out: type_name::with_defining_ids<CoinOut>(),
        amount_in,
        amount_out,
    })
}

// === Reads ===

public fun wallet_witness_wallet_id<ServiceT, CoinT>(witness: &WalletWitness<ServiceT, CoinT>): ID {
    witness.wallet_id
}

public fun wallet_witness_amount<ServiceT, CoinT>(witness: &WalletWitness<ServiceT, CoinT>): u64 {
    witness.amount
}

public fun wallet_witness_recipient<ServiceT, CoinT>(
    witness: &WalletWitness<ServiceT, CoinT>,
): address {
    witness.recipient
}

public fun wallet_swap_witness_wallet_id<ServiceT, CoinIn, CoinOut>(
    witness: &WalletSwapWitness<ServiceT, CoinIn, CoinOut>,
): ID {
    witness.wallet_id
}

public fun wallet_swap_witness_amount_in<ServiceT, CoinIn, CoinOut>(
    witness: &WalletSwapWitness<ServiceT, CoinIn, CoinOut>,
): u64 {
    witness.amount_in
}

public fun wallet_swap_witness_min_amount_out<ServiceT, CoinIn, CoinOut>(
    witness: &WalletSwapWitness<ServiceT, CoinIn, CoinOut>,
): u64 {
    witness.min_amount_out
}

// === Inside ===

fun assert_authorized<ServiceT, CoinT>(wallet: &Wallet) {
    assert!(wallet.is_authorized<ServiceT, CoinT>(), EAuthMissing)
}

fun paid<ServiceT, CoinT>(
    wallet: &Wallet,
    mode: u8,
    payer: Option<address>,
    recipient: address,
    amount: u64,
    ctx: &TxContext,
): WalletWitness<ServiceT, CoinT> {
    event::emit(PaymentValidated {
        wallet_id: wallet.id(),
        service: type_name::with_defining_ids<ServiceT>(),
        mode,
        payer,
        recipient,
        amount,
        coin: type_name::with_defining_ids<CoinT>(),
        sender: ctx.sender(),
    });
    WalletWitness { wallet_id: wallet.id(), amount, recipient }
}
