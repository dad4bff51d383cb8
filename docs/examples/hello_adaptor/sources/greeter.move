/// The smallest thing the registry can list: a witness that names a service, and one operation.
module hello_adaptor::greeter;

use sui::coin::Coin;
use sui::sui::SUI;

/// Whoever holds a value of this type is this service. Only this module can make one.
public struct Greeter has drop {}

/// Hands a coin on.
public fun greet(gift: Coin<SUI>, recipient: address) {
    transfer::public_transfer(gift, recipient);
}
