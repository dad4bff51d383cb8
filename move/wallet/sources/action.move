/// One action of one service, held to what was asked of it. `begin` locks the wallet for the service, `may_take` and
/// `must_bring` say what may leave and what must come, the service's own functions follow, and `end` holds what
/// happened against it and unlocks. The signer keeps the ticket from the service, which can neither widen nor end its
/// own action.
///
/// The ticket must reach `end` in the same transaction, so no wallet stays locked. Budgets, grants and the pause
/// apply as ever: the lock only narrows, which is why anyone may open it.
module wallet::action;

use std::type_name::TypeName;
use sui::event;
use wallet::lock;
use wallet::type_names;
use wallet::wallet::Wallet;

/// The ticket is of another wallet.
const EWrongWallet: u64 = 1;

/// Has no abilities: all that can be done with it is to `end` the action.
public struct Ticket {
    wallet_id: ID,
}

public struct CoinAmount has copy, drop, store {
    coin: TypeName,
    amount: u64,
}

// Readers decode the fields they know and ignore what follows, so fields are only ever appended.

/// Both lists hold the coins that the action named, without amounts of zero.
public struct ActionEnded has copy, drop {
    wallet_id: ID,
    service: TypeName,
    sender: address,
    /// All that the service took, whatever it put back.
    taken: vector<CoinAmount>,
    /// All that came by the service's witness, what it put back included. u64::MAX stands for more, too.
    brought: vector<CoinAmount>,
}

/// Locks the wallet for `ServiceT`, which holds a grant. Nothing may be taken until `may_take`. Anyone may begin.
public fun begin<ServiceT>(wallet: &mut Wallet, _ctx: &TxContext): Ticket {
    lock::open(wallet.uid_mut(), type_names::witness<ServiceT>());
    wallet.assert_serves<ServiceT>();
    Ticket { wallet_id: wallet.id() }
}

/// Lets the service take up to `max` of the coin, in all: what it puts back it does not take again. Once for each
/// coin, and with `must_bring` eight coins.
public fun may_take<CoinT>(wallet: &mut Wallet, ticket: &Ticket, max: u64) {
    ticket.assert_of(wallet);
    lock::may_take(wallet.uid_mut(), type_names::bounded<CoinT>(), max)
}

/// Demands that the service bring at least `min` of the coin, beside what it takes of it. Only what comes by its
/// witness counts, for a swap or by `receive_from_service`. Once for each coin.
public fun must_bring<CoinT>(wallet: &mut Wallet, ticket: &Ticket, min: u64) {
    ticket.assert_of(wallet);
    lock::must_bring(wallet.uid_mut(), type_names::bounded<CoinT>(), min)
}

/// Unlocks the wallet, if the service brought all that it must.
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
