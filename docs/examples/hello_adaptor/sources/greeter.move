/// The smallest package that the registry can list with an operation that anyone can execute: a witness that identifies
/// a service, a shared object, and a function.
module hello_adaptor::greeter;

use std::string::String;
use sui::event;

/// Code with a value of this type acts as this service. Only this module can make one.
public struct Greeter has drop {}

/// A guest book. It is shared, so a manifest can name it as a fixed object.
public struct GuestBook has key {
    id: UID,
    guests: u64,
}

/// A guest has signed the book.
public struct Signed has copy, drop {
    guest: u64,
    name: String,
}

fun init(ctx: &mut TxContext) {
    transfer::share_object(GuestBook { id: object::new(ctx), guests: 0 });
}

/// Signs the guest book.
public fun greet(book: &mut GuestBook, name: String) {
    book.guests = book.guests + 1;
    event::emit(Signed { guest: book.guests, name });
}
