/// ECDSA over secp256r1 (P-256). `hash` chooses what the message is hashed with: 0 Keccak-256, 1 SHA-256.
module sui::ecdsa_r1;

#[allow(unused_const)]
/// No key belongs to the signature, or there is no such hash.
const EFailToRecoverPubKey: u64 = 0;
#[allow(unused_const)]
/// The bytes are not a signature.
const EInvalidSignature: u64 = 1;

/// The compressed key that made the signature: 64 bytes and a recovery id of 0 to 3.
public native fun secp256r1_ecrecover(signature: &vector<u8>, msg: &vector<u8>, hash: u8): vector<u8>;

/// False if it is not a signature of the message by the key, with a high `s`, or an unknown hash.
public native fun secp256r1_verify(
    signature: &vector<u8>,
    public_key: &vector<u8>,
    msg: &vector<u8>,
    hash: u8,
): bool;
