/// Steps that only the owner may do, and new wallets.
module money_guard::owner_steps;

use money_guard::bank::{Self, Thing};
use money_guard::board::{Board, Hand, Step};
use wallet::delegate;
use wallet::wallet::{Self, Wallet};

const OFFER_OWNERSHIP: u8 = 30;
const ACCEPT_OWNERSHIP: u8 = 31;
const MIGRATE: u8 = 32;
const SET_PAUSED: u8 = 33;
const GRANT_COIN: u8 = 34;
const GRANT_PULL: u8 = 35;
const REVOKE_COIN: u8 = 36;
const REVOKE_SERVICE: u8 = 37;
const BIND: u8 = 38;
const UNBIND: u8 = 39;
const ADD_ASSET: u8 = 40;
const RECLAIM_ASSET: u8 = 41;
const RECLAIM_SERVICE_ASSET: u8 = 42;
const CREATE_WALLET: u8 = 43;
const SHARE_WALLET: u8 = 44;
const CREATE_AND_SHARE_WALLET: u8 = 45;
const INITIALIZE_DELEGATES: u8 = 50;
const ADD_DELEGATE: u8 = 51;
const REMOVE_DELEGATE: u8 = 52;
const SET_EXPIRY: u8 = 53;
const SET_SERVICE_BUDGET: u8 = 54;
const SET_SERVICE_UNLIMITED: u8 = 55;
const RAISE_SERVICE_BUDGET: u8 = 56;
const LOWER_SERVICE_BUDGET: u8 = 57;
const SET_COIN_BUDGET: u8 = 58;
const SET_COIN_UNLIMITED: u8 = 59;
const RAISE_COIN_BUDGET: u8 = 60;
const LOWER_COIN_BUDGET: u8 = 61;

public(package) fun run<Srv: drop, C>(
    step: &Step,
    board: &mut Board,
    hand: &mut Hand,
    wallet: &mut Wallet,
    ctx: &mut TxContext,
) {
    let (amount, person) = (step.amount(), board.person(step));
    match (step.op()) {
        OFFER_OWNERSHIP => wallet.offer_ownership(person, ctx),
        ACCEPT_OWNERSHIP => wallet.accept_ownership(ctx),
        MIGRATE => wallet.migrate(ctx),
        SET_PAUSED => wallet.set_paused(amount % 2 == 0, ctx),
        GRANT_COIN => wallet.grant_service_coin<Srv, C>(amount, ctx),
        GRANT_PULL => wallet.grant_service_pull<Srv, C>(amount, ctx),
        REVOKE_COIN => wallet.revoke_service_coin<Srv, C>(ctx),
        REVOKE_SERVICE => wallet.revoke_service<Srv>(ctx),
        BIND => wallet.bind_external_account<Srv>(person, ctx),
        UNBIND => wallet.unbind_external_account<Srv>(person, ctx),
        ADD_ASSET => wallet.add_asset(bank::make(ctx), step.text(), ctx),
        RECLAIM_ASSET => wallet.reclaim_asset<Thing>(step.text(), ctx),
        RECLAIM_SERVICE_ASSET => wallet.reclaim_service_asset<Srv, Thing>(step.text(), ctx),
        CREATE_WALLET => hand.wallets().push_back(wallet::create(ctx)),
        SHARE_WALLET => hand.wallets().pop_back().share(),
        CREATE_AND_SHARE_WALLET => { wallet::create_and_share(ctx); },
        INITIALIZE_DELEGATES => delegate::initialize(wallet, ctx),
        ADD_DELEGATE => delegate::add(wallet, person, ctx),
        REMOVE_DELEGATE => delegate::remove(wallet, person, ctx),
        SET_EXPIRY => delegate::set_expiry(wallet, person, if (amount == 0) option::none() else option::some(amount), ctx),
        SET_SERVICE_BUDGET => delegate::set_service_allowance<Srv>(wallet, person, amount, ctx),
        SET_SERVICE_UNLIMITED => delegate::set_service_unlimited_allowance<Srv>(wallet, person, ctx),
        RAISE_SERVICE_BUDGET => delegate::increase_service_allowance<Srv>(wallet, person, amount, ctx),
        LOWER_SERVICE_BUDGET => delegate::decrease_service_allowance<Srv>(wallet, person, amount, ctx),
        SET_COIN_BUDGET => delegate::set_coin_allowance<C>(wallet, person, amount, ctx),
        SET_COIN_UNLIMITED => delegate::set_coin_unlimited_allowance<C>(wallet, person, ctx),
        RAISE_COIN_BUDGET => delegate::increase_coin_allowance<C>(wallet, person, amount, ctx),
        LOWER_COIN_BUDGET => delegate::decrease_coin_allowance<C>(wallet, person, amount, ctx),
        _ => abort,
    }
}
