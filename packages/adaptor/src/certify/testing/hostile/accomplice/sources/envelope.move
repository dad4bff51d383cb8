/// Carries money from one call to the next.
module accomplice::envelope;

use sui::balance::Balance;

public struct Envelope<phantom C> { money: Balance<C> }

public fun seal<C>(money: Balance<C>): Envelope<C> { Envelope { money } }

public fun open<C>(envelope: Envelope<C>): Balance<C> {
    let Envelope { money } = envelope;
    money
}
