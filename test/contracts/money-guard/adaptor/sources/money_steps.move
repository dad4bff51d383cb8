/// Steps that move coins and assets, and those that ask for it in one place and use it in another.
module money_guard::money_steps;

use money_guard::bank::{Self, Thing};
use money_guard::board::{Board, Hand, Step};
use money_guard::coins::{A, B};
use money_guard::service::{Self, S};
use sui::clock::Clock;
use wallet::delegate;
use wallet::intent;
use wallet::wallet::Wallet;

const PAY: u8 = 1;
const PAY_FOR_PAYER: u8 = 2;
const PAY_UNMETERED: u8 = 3;
const SWAP: u8 = 4;
const SPEND: u8 = 5;
const CREDIT: u8 = 6;
const DEPOSIT: u8 = 7;
const SEND: u8 = 8;
const TAKE_COIN: u8 = 9;
const WITHDRAW_COIN: u8 = 10;
const BIND_OWN: u8 = 11;
const ASSERT_BOUND: u8 = 12;
const KEEP_ASSET: u8 = 13;
const TAKE_ASSET: u8 = 14;
const HOLD_PAYMENT: u8 = 15;
const USE_PAYMENT: u8 = 16;
const HOLD_FOR_PAYER: u8 = 17;
const USE_FOR_PAYER: u8 = 18;
const HOLD_UNMETERED: u8 = 19;
const USE_UNMETERED: u8 = 20;
const CLEAR: u8 = 21;
const HOLD_SWAP: u8 = 22;
const USE_SWAP: u8 = 23;
const SETTLE_SWAP: u8 = 24;

public(package) fun run<Srv: drop, C, D>(
    witnesses: &mut vector<Srv>,
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let (amount, extra, person) = (step.amount(), step.extra(), board.person(step));
    match (step.op()) {
        PAY => {
            let request = intent::request_payment<Srv, C>(witnesses.pop_back(), amount, person);
            let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
            board.keep(coin);
            assert!(intent::wallet_witness_wallet_id(&witness) == wallet.id());
            let (amount, recipient) = (
                intent::wallet_witness_amount(&witness),
                intent::wallet_witness_recipient(&witness),
            );
            let receipt = intent::create_receipt_sig<Srv, C>(witnesses.pop_back(), amount, recipient);
            intent::verify_and_clear(wallet, witness, receipt)
        },
        PAY_FOR_PAYER => {
            let payer = board.person(step);
            let request = intent::request_payment_for_payer<Srv, C>(witnesses.pop_back(), amount, person, payer);
            let (coin, witness) = intent::validate_and_pay_for_payer(wallet, request, clock, ctx);
            board.keep(coin);
            let receipt = intent::create_receipt_sig<Srv, C>(witnesses.pop_back(), amount, person);
            intent::verify_and_clear(wallet, witness, receipt)
        },
        PAY_UNMETERED => {
            let request = intent::request_payment_unmetered<Srv, C>(witnesses.pop_back(), amount, person);
            let (coin, witness) = intent::validate_and_pay_unmetered(wallet, request, ctx);
            board.keep(coin);
            let receipt = intent::create_receipt_sig<Srv, C>(witnesses.pop_back(), amount, person);
            intent::verify_and_clear(wallet, witness, receipt)
        },
        SWAP => {
            let request = intent::request_swap<Srv, C, D>(witnesses.pop_back(), amount, extra);
            let (coin, witness) = intent::validate_and_swap_out(wallet, request, clock, ctx);
            board.keep(coin);
            assert!(intent::wallet_swap_witness_wallet_id(&witness) == wallet.id());
            let (amount, extra) = (
                intent::wallet_swap_witness_amount_in(&witness),
                intent::wallet_swap_witness_min_amount_out(&witness),
            );
            let receipt = intent::create_swap_receipt<Srv, C, D>(witnesses.pop_back(), amount, extra);
            intent::verify_swap_and_credit(wallet, witness, receipt, board.draw(extra, ctx))
        },
        SPEND => delegate::spend<Srv, C>(witnesses.pop_back(), wallet, amount, person, clock, ctx),
        CREDIT => wallet.receive_from_service<Srv, C>(board.draw(amount, ctx), witnesses.pop_back()),
        DEPOSIT => wallet.deposit<C>(board.draw(amount, ctx)),
        SEND => transfer::public_transfer(board.draw<C>(amount, ctx), person),
        TAKE_COIN => wallet.take_coin<C>(amount, ctx),
        WITHDRAW_COIN => board.keep(wallet.withdraw_coin<C>(amount, ctx)),
        BIND_OWN => wallet.bind_external_account_from_service(person, witnesses.pop_back()),
        ASSERT_BOUND => wallet.assert_external_account_bound_or_owner<Srv>(person, ctx),
        KEEP_ASSET => wallet.receive_asset_from_service(bank::make(ctx), step.text(), witnesses.pop_back()),
        TAKE_ASSET => {
            let thing: Thing = wallet.take_asset_for_service(step.text(), witnesses.pop_back());
            transfer::public_transfer(thing, person)
        },
        HOLD_PAYMENT => hand.payments().push_back(intent::request_payment<S, A>(service::witness(), amount, person)),
        USE_PAYMENT => {
            let (coin, witness) = intent::validate_and_pay(wallet, hand.payments().pop_back(), clock, ctx);
            board.keep(coin);
            hand.paid().push_back(witness)
        },
        HOLD_FOR_PAYER => {
            let request = intent::request_payment_for_payer<S, A>(service::witness(), amount, person, person);
            hand.for_payers().push_back(request)
        },
        USE_FOR_PAYER => {
            let (coin, witness) = intent::validate_and_pay_for_payer(wallet, hand.for_payers().pop_back(), clock, ctx);
            board.keep(coin);
            hand.paid().push_back(witness)
        },
        HOLD_UNMETERED => {
            let request = intent::request_payment_unmetered<S, A>(service::witness(), amount, person);
            hand.unmetered().push_back(request)
        },
        USE_UNMETERED => {
            let (coin, witness) = intent::validate_and_pay_unmetered(wallet, hand.unmetered().pop_back(), ctx);
            board.keep(coin);
            hand.paid().push_back(witness)
        },
        CLEAR => {
            let witness = hand.paid().pop_back();
            let (amount, recipient) = (
                intent::wallet_witness_amount(&witness),
                intent::wallet_witness_recipient(&witness),
            );
            let receipt = intent::create_receipt_sig<S, A>(service::witness(), amount, recipient);
            intent::verify_and_clear(wallet, witness, receipt)
        },
        HOLD_SWAP => hand.swaps().push_back(intent::request_swap<S, A, B>(service::witness(), amount, extra)),
        USE_SWAP => {
            let (coin, witness) = intent::validate_and_swap_out(wallet, hand.swaps().pop_back(), clock, ctx);
            board.keep(coin);
            hand.swapped().push_back(witness)
        },
        SETTLE_SWAP => {
            let witness = hand.swapped().pop_back();
            let (amount, extra) = (
                intent::wallet_swap_witness_amount_in(&witness),
                intent::wallet_swap_witness_min_amount_out(&witness),
            );
            let receipt = intent::create_swap_receipt<S, A, B>(service::witness(), amount, extra);
            intent::verify_swap_and_credit(wallet, witness, receipt, board.draw(extra, ctx))
        },
        _ => abort,
    }
}
