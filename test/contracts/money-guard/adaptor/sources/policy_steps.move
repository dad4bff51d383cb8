/// Steps by a wallet's policy: its rules, requests, and the caps that the attacker has.
module money_guard::policy_steps;

use money_guard::ally::{Self, T};
use money_guard::board::{Board, Hand, Step};
use money_guard::service::{Self, S};
use rules::rule::{Self, RecipientAllowlist};
use wallet::cap_auth::{Self, CapAuth};
use wallet::policy;
use wallet::sub_delegate::{Self, ScopedAuth, ScopedBudget};
use wallet::wallet::Wallet;

const INITIALIZE_POLICY: u8 = 70;
const ADD_AUTH_RULE: u8 = 71;
const REMOVE_AUTH_RULE: u8 = 72;
const ADD_CAVEAT_RULE: u8 = 73;
const REMOVE_CAVEAT_RULE: u8 = 74;
const ADD_CAVEAT_RULE_FOR: u8 = 75;
const REMOVE_CAVEAT_RULE_FOR: u8 = 76;
const REVOKE_ALL: u8 = 77;
const SET_SPEND_INTO: u8 = 78;
const SET_RULE_OBJECT: u8 = 79;
const BEGIN_SPEND: u8 = 80;
const STAMP_AUTH: u8 = 81;
const STAMP_CAVEAT: u8 = 82;
const CONFIRM_SPEND: u8 = 83;
const CONFIRM_SPEND_INTO: u8 = 84;
const MINT_CAP: u8 = 90;
const MINT_CAP_TO: u8 = 91;
const REVOKE_CAP: u8 = 92;
const BURN_CAP: u8 = 93;
const PROVE: u8 = 94;
const MINT_ROOT: u8 = 95;
const MINT_ROOT_TO: u8 = 96;
const REVOKE_SCOPED: u8 = 97;
const SUBDELEGATE: u8 = 98;
const SUBDELEGATE_TO: u8 = 99;
const SPEND_SCOPED: u8 = 100;
const BURN_SCOPED: u8 = 101;
const COLLECT_REFUND: u8 = 102;
const CREATE_LIST: u8 = 110;

public(package) fun run<C>(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    ctx: &mut TxContext,
) {
    let (amount, person, noted) = (step.amount(), board.person(step), board.noted(step, wallet));
    let depth = (step.extra() % 10) as u8;
    match (step.op()) {
        BEGIN_SPEND => hand.spends().push_back(policy::begin_spend<C>(wallet, amount, person)),
        STAMP_AUTH => {
            let request = last!(hand.spends());
            if (step.service() == 0) policy::add_auth_receipt(service::witness(), request)
            else policy::add_auth_receipt(ally::witness(), request)
        },
        STAMP_CAVEAT => {
            let request = last!(hand.spends());
            if (step.service() == 0) policy::add_caveat_receipt(service::witness(), request)
            else policy::add_caveat_receipt(ally::witness(), request)
        },
        CONFIRM_SPEND => policy::confirm_spend<C>(wallet, hand.spends().pop_back(), ctx),
        CONFIRM_SPEND_INTO => {
            let coin = policy::confirm_spend_into<C>(wallet, hand.spends().pop_back(), ctx);
            board.keep(coin)
        },
        INITIALIZE_POLICY => policy::initialize(wallet, ctx),
        REVOKE_ALL => policy::revoke_all(wallet, ctx),
        SET_SPEND_INTO => policy::set_spend_into(wallet, amount % 2 == 0, ctx),
        SET_RULE_OBJECT => {
            let id = if (amount == 0) option::none() else option::some(noted);
            if (step.service() == 0) policy::set_rule_object(service::witness(), wallet, id, ctx)
            else policy::set_rule_object(ally::witness(), wallet, id, ctx)
        },
        MINT_CAP => board.add_bearer(cap_auth::mint(wallet, ctx)),
        MINT_CAP_TO => cap_auth::mint_and_transfer(wallet, person, ctx),
        REVOKE_CAP => cap_auth::revoke(wallet, noted, ctx),
        BURN_CAP => cap_auth::burn(board.bearers().pop_back()),
        PROVE => cap_auth::prove(last!(board.bearers()), last!(hand.spends())),
        MINT_ROOT => board.add_scoped(sub_delegate::mint_root<C>(wallet, amount, depth, ctx)),
        MINT_ROOT_TO => sub_delegate::mint_root_and_transfer<C>(wallet, amount, depth, person, ctx),
        REVOKE_SCOPED => sub_delegate::revoke(wallet, noted, ctx),
        SUBDELEGATE => {
            let child = last!(board.scoped()).subdelegate(wallet, amount, ctx);
            board.add_scoped(child)
        },
        SUBDELEGATE_TO => last!(board.scoped()).subdelegate_and_transfer(wallet, amount, person, ctx),
        SPEND_SCOPED => last!(board.scoped()).spend(last!(hand.spends())),
        BURN_SCOPED => board.scoped().pop_back().burn(wallet),
        COLLECT_REFUND => last!(board.scoped()).collect_refund(wallet),
        CREATE_LIST => { rule::create_and_share(wallet, ctx); },
        _ => match (step.who() % 6) {
            0 => rules_by<S>(step, wallet, ctx),
            1 => rules_by<T>(step, wallet, ctx),
            2 => rules_by<CapAuth>(step, wallet, ctx),
            3 => rules_by<ScopedAuth>(step, wallet, ctx),
            4 => rules_by<ScopedBudget>(step, wallet, ctx),
            _ => rules_by<RecipientAllowlist>(step, wallet, ctx),
        },
    }
}

fun rules_by<Rule>(step: &Step, wallet: &mut Wallet, ctx: &mut TxContext) {
    match (step.op()) {
        ADD_AUTH_RULE => policy::add_auth_rule<Rule>(wallet, ctx),
        REMOVE_AUTH_RULE => policy::remove_auth_rule<Rule>(wallet, ctx),
        ADD_CAVEAT_RULE => policy::add_caveat_rule<Rule>(wallet, ctx),
        REMOVE_CAVEAT_RULE => policy::remove_caveat_rule<Rule>(wallet, ctx),
        _ => match (step.name() % 3) {
            0 => rules_for<CapAuth, Rule>(step, wallet, ctx),
            1 => rules_for<ScopedAuth, Rule>(step, wallet, ctx),
            _ => rules_for<S, Rule>(step, wallet, ctx),
        },
    }
}

fun rules_for<Auth, Rule>(step: &Step, wallet: &mut Wallet, ctx: &mut TxContext) {
    match (step.op()) {
        ADD_CAVEAT_RULE_FOR => policy::add_caveat_rule_for<Auth, Rule>(wallet, ctx),
        REMOVE_CAVEAT_RULE_FOR => policy::remove_caveat_rule_for<Auth, Rule>(wallet, ctx),
        _ => abort,
    }
}

macro fun last<$Value>($values: &mut vector<$Value>): &mut $Value {
    let values = $values;
    let count = values.length();
    &mut values[count - 1]
}
