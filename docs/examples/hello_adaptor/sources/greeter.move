/// The smallest package that the registry can list: a witness that identifies a service, and one operation.
module hello_adaptor::greeter;

use sui::coin::Coin;
use sui::sui::SUI;

/// Code with a value of this type acts as this service. Only this module can make one.
public struct Greeter has drop {}

/// Sends a coin to the recipient.
public fun greet(gift: Coin<SUI>, recipient: address) {
    transfer::public_transfer(gift, recipient);
}
