/// Signatures over Curve25519.
module sui::ed25519;

/// False if it is not a signature of the message by the key, and for invalid keys or signatures.
public native fun ed25519_verify(signature: &vector<u8>, public_key: &vector<u8>, msg: &vector<u8>): bool;
