/// Signatures over Curve25519.
module sui::ed25519;

/// False for what is no signature of the message by the key, and for bytes that are no key or signature.
public native fun ed25519_verify(signature: &vector<u8>, public_key: &vector<u8>, msg: &vector<u8>): bool;
