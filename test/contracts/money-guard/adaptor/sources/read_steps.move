/// Steps that read, all of them that do not change anything and need no more than a wallet.
module money_guard::read_steps;

use money_guard::board::{Board, Hand, Step};
use money_guard::service::S;
use sui::clock::Clock;
use wallet::action;
use wallet::cap_auth;
use wallet::delegate;
use wallet::policy;
use wallet::type_names;
use wallet::wallet::Wallet;

const READ_WALLET: u8 = 200;
const READ_DELEGATES: u8 = 201;
const READ_EXPIRY: u8 = 202;
const READ_POLICY: u8 = 203;
const READ_REQUEST: u8 = 204;
const READ_CAPS: u8 = 205;
const READ_OWNER_ACTS: u8 = 206;

public(package) fun run<Srv: drop, C>(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    clock: &Clock,
    ctx: &mut TxContext,
) {
    let person = board.person(step);
    match (step.op()) {
        READ_WALLET => {
            assert!(wallet.id().to_address() == wallet.identity());
            assert!(wallet.uid().to_inner() == wallet.id());
            wallet.version();
            wallet.owner();
            wallet.is_paused();
            wallet.offered_to();
            assert!(wallet.granted<Srv, C>() == 0 || wallet.is_authorized<Srv, C>());
            wallet.pull_cap<Srv, C>();
            wallet.balance<C>();
            wallet.is_external_account_bound<Srv>(person);
            action::is_open(wallet);
            assert!(type_names::witness<Srv>() == type_names::bounded<Srv>());
        },
        READ_OWNER_ACTS => wallet.assert_owner_acts(ctx),
        READ_DELEGATES => {
            delegate::unlimited_allowance();
            delegate::is_initialized(wallet);
            delegate::main_owner(wallet);
            delegate::contains(wallet, person);
            delegate::service_allowance<Srv>(wallet, person);
            delegate::is_service_authorized<Srv>(wallet, person, clock);
            delegate::coin_allowance<C>(wallet, person);
            delegate::service_count(wallet, person);
            delegate::coin_count(wallet, person);
        },
        READ_EXPIRY => { delegate::expires_at_ms(wallet, person); },
        READ_POLICY => {
            if (!policy::is_initialized(wallet)) return;
            policy::version(wallet);
            policy::has_auth_rule<Srv>(wallet);
            policy::has_caveat_rule<Srv>(wallet);
            policy::has_caveat_rule_for<Srv, S>(wallet);
            policy::auth_rule_count(wallet);
            policy::caveat_rule_count(wallet);
            policy::is_spend_into_allowed(wallet);
            policy::rule_object<Srv>(wallet);
            policy::is_cap_revoked(wallet, board.noted(step, wallet));
        },
        READ_REQUEST => {
            if (hand.spends().is_empty()) return;
            let request = &hand.spends()[0];
            request.spend_wallet_id();
            request.spend_coin();
            request.spend_amount();
            request.spend_recipient();
            request.spend_policy_version();
            request.spend_rule_object<Srv>();
            request.has_auth_receipt<Srv>();
            request.has_caveat_receipt<Srv>();
        },
        READ_CAPS => {
            if (!policy::is_initialized(wallet)) return;
            board.bearers().do_ref!(|cap| {
                cap.cap_wallet_id();
                cap.cap_policy_version();
                cap_auth::is_current(cap, wallet);
            });
            board.scoped().do_ref!(|cap| {
                cap.remaining();
                cap.coin();
                cap.depth();
                cap.max_depth();
                cap.wallet_id();
                cap.policy_version();
                cap.parent();
                cap.ancestors();
                cap.is_current(wallet);
            })
        },
        _ => abort,
    }
}
