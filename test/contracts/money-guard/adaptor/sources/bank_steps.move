/// Steps that go to the honest service.
module money_guard::bank_steps;

use money_guard::bank::{Self, Accounts};
use money_guard::board::{Board, Step};
use sui::clock::Clock;
use wallet::wallet::Wallet;

const WITHDRAW_AUTHORIZED: u8 = 190;
const WITHDRAW_ALLOWED: u8 = 191;
const WITHDRAW_BOUND: u8 = 192;
const WITHDRAW_IF_BOUND: u8 = 193;
const WITHDRAW_AS_OWNER: u8 = 194;
const FETCH: u8 = 195;

public(package) fun run(
    step: &Step,
    accounts: &mut Accounts,
    board: &Board,
    wallet: &mut Wallet,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let (amount, person) = (step.amount(), board.person(step));
    match (step.op()) {
        WITHDRAW_AUTHORIZED => accounts.withdraw_authorized(wallet, amount, clock, ctx),
        WITHDRAW_ALLOWED => accounts.withdraw_allowed(wallet, amount, ctx),
        WITHDRAW_BOUND => accounts.withdraw_bound(wallet, person, amount, ctx),
        WITHDRAW_IF_BOUND => accounts.withdraw_if_bound(wallet, person, amount),
        WITHDRAW_AS_OWNER => accounts.withdraw_as_owner(wallet, amount, ctx),
        FETCH => {
            let thing = bank::fetch(wallet, step.text(), clock, ctx);
            transfer::public_transfer(thing, person)
        },
        _ => abort,
    }
}
