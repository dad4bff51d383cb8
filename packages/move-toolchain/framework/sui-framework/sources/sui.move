/// The chain's own coin. Its whole supply exists from the first checkpoint on.
module sui::sui;

use sui::coin::Coin;

public struct SUI has drop {}

public entry fun transfer(c: Coin<SUI>, recipient: address) {
    transfer::public_transfer(c, recipient)
}
