/// The keys of zkLogin's providers, in one shared object at 0x7 that only the system reads and writes.
module sui::authenticator_state;

use std::string::String;
use sui::dynamic_field;

/// Only the system makes the object.
const ENotSystemAddress: u64 = 0;

const VERSION: u64 = 1;

public struct AuthenticatorState has key {
    id: UID,
    version: u64,
}

#[allow(unused_field)]
/// The state's field with the name of its version.
public struct AuthenticatorStateInner has store {
    version: u64,
    active_jwks: vector<ActiveJwk>,
}

#[allow(unused_field)]
public struct JWK has copy, drop, store {
    kty: String,
    e: String,
    n: String,
    alg: String,
}

#[allow(unused_field)]
public struct JwkId has copy, drop, store {
    iss: String,
    kid: String,
}

#[allow(unused_field)]
public struct ActiveJwk has copy, drop, store {
    jwk_id: JwkId,
    jwk: JWK,
    epoch: u64,
}

#[allow(unused_function)]
fun create(ctx: &TxContext) {
    assert!(ctx.sender() == @0x0, ENotSystemAddress);
    let mut state = AuthenticatorState { id: object::authenticator_state(), version: VERSION };
    let inner = AuthenticatorStateInner { version: VERSION, active_jwks: vector[] };
    dynamic_field::add(&mut state.id, VERSION, inner);
    transfer::share_object(state)
}
