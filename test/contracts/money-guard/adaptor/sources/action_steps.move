/// Steps on actions: those that the service opens itself.
module money_guard::action_steps;

use money_guard::board::{Hand, Step};
use wallet::action;
use wallet::wallet::Wallet;

const BEGIN: u8 = 180;
const MAY_TAKE: u8 = 181;
const MUST_BRING: u8 = 182;
const END: u8 = 183;

public(package) fun run<Srv: drop, C>(step: &Step, hand: &mut Hand, wallet: &mut Wallet, ctx: &mut TxContext) {
    match (step.op()) {
        BEGIN => hand.tickets().push_back(action::begin<Srv>(wallet, ctx)),
        MAY_TAKE => action::may_take<C>(wallet, &hand.tickets()[0], step.amount()),
        MUST_BRING => action::must_bring<C>(wallet, &hand.tickets()[0], step.amount()),
        END => action::end(wallet, hand.tickets().pop_back(), ctx),
        _ => abort,
    }
}
