/// One action of one service, limited to what was requested. `begin` locks the wallet for the service.
/// `may_take` and `must_bring` set what may leave and what must arrive. The service's functions follow. `end`
/// checks the result and unlocks. The signer keeps the ticket, so the service can neither extend nor end its
/// own action.
///
/// The ticket must reach `end` in the same transaction, so no wallet stays locked. Budgets, grants and the
/// pause still apply. The lock only restricts, so anyone may open it.
module wallet::action;

use std::type_name::TypeName;
use sui::event;
use wallet::lock;
use wallet::type_names;
use wallet::wallet::Wallet;

/// The ticket belongs to another wallet.
const EWrongWallet: u64 = 1;

/// Has no abilities: the only use of a ticket is to `end` the action.
public struct Ticket {
    wallet_id: ID,
}

public struct CoinAmount has copy, drop, store {
    coin: TypeName,
    amount: u64,
}

// Readers ignore unknown fields at the end, so new fields are only appended.

/// Both lists contain the coins of the action, without zero amounts.
public struct ActionEnded has copy, drop {
    wallet_id: ID,
    service: TypeName,
    sender: address,
    /// Everything that the service took, even if it put some back.
    taken: vector<CoinAmount>,
    /// Everything that the service's witness deposited, put back or new. u64::MAX means this or more.
    brought: vector<CoinAmount>,
}

/// Locks the wallet for `ServiceT`, which needs a grant. It can take nothing before `may_take`. Anyone may begin.
public fun begin<ServiceT>(wallet: &mut Wallet, _ctx: &TxContext): Ticket {
    lock::open(wallet.uid_mut(), type_names::witness<ServiceT>());
    wallet.assert_serves<ServiceT>();
    Ticket { wallet_id: wallet.id() }
}

/// Lets the service take up to `max` of the coin in total. Coins that it puts back cannot be taken again. Once
/// for each coin; an action can name eight coins, with those of `must_bring`.
public fun may_take<CoinT>(wallet: &mut Wallet, ticket: &Ticket, max: u64) {
    ticket.assert_of(wallet);
    lock::may_take(wallet.uid_mut(), type_names::bounded<CoinT>(), max)
}

/// Requires the service to bring at least `min` of the coin, beyond what it takes of it. Only deposits by its
/// witness count: the proceeds of a swap, or `receive_from_service`. Once for each coin.
public fun must_bring<CoinT>(wallet: &mut Wallet, ticket: &Ticket, min: u64) {
    ticket.assert_of(wallet);
    lock::must_bring(wallet.uid_mut(), type_names::bounded<CoinT>(), min)
}

/// Unlocks the wallet if the service brought everything that it must.
public fun end(wallet: &mut Wallet, ticket: Ticket, ctx: &TxContext) {
    ticket.assert_of(wallet);
    let Ticket { wallet_id } = ticket;
    let lock = lock::close(wallet.uid_mut());
    event::emit(ActionEnded {
        wallet_id,
        service: lock.service(),
        sender: ctx.sender(),
        taken: amounts(lock.coins(), lock.taken()),
        brought: amounts(lock.coins(), lock.brought()),
    })
}

/// Whether an action is open on the wallet.
public fun is_open(wallet: &Wallet): bool {
    lock::is_open(wallet.uid())
}

fun assert_of(ticket: &Ticket, wallet: &Wallet) {
    assert!(ticket.wallet_id == wallet.id(), EWrongWallet)
}

fun amounts(coins: vector<TypeName>, amounts: vector<u64>): vector<CoinAmount> {
    coins.zip_map!(amounts, |coin, amount| CoinAmount { coin, amount }).filter!(|flow| flow.amount > 0)
}
