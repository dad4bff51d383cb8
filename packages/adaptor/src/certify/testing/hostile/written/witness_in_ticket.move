module hostile::witness_in_ticket;

use sui::balance::{Self, Balance};
use sui::clock::Clock;
use sui::sui::SUI;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Service has drop, store {}

/// Anyone takes one, and opens it with a function that looks like a detail.
public struct Ticket has store { number: u64, service: Service }

public struct Jar has key { id: UID, money: Balance<SUI>, tickets: u64 }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Jar { id: object::new(ctx), money: balance::zero(), tickets: 0 })
}

public fun pay(wallet: &mut Wallet, jar: &mut Jar, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let recipient = object::id_address(jar);
    let request = intent::request_payment<_, SUI>(Service {}, amount, recipient);
    let (coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    jar.money.join(coin.into_balance());
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Service {}, amount, recipient))
}

public fun take_ticket(jar: &mut Jar): Ticket {
    jar.tickets = jar.tickets + 1;
    Ticket { number: jar.tickets, service: Service {} }
}

public fun tear(ticket: Ticket): (u64, Service) { //! planted
    let Ticket { number, service } = ticket; //! planted
    (number, service) //! planted
} //! planted

public fun tear(ticket: Ticket): u64 { //! honest
    let Ticket { number, service: _ } = ticket; //! honest
    number //! honest
} //! honest
