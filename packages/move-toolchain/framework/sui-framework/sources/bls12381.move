/// Signatures over BLS12-381.
module sui::bls12381;

/// A signature of 48 bytes (a point of G1) by a key of 96 (a point of G2).
public native fun bls12381_min_sig_verify(
    signature: &vector<u8>,
    public_key: &vector<u8>,
    msg: &vector<u8>,
): bool;

/// A signature of 96 bytes (a point of G2) by a key of 48 (a point of G1).
public native fun bls12381_min_pk_verify(
    signature: &vector<u8>,
    public_key: &vector<u8>,
    msg: &vector<u8>,
): bool;
