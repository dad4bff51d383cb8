/// The hashes that the chain itself uses, and Ethereum's.
module sui::hash;

public native fun blake2b256(data: &vector<u8>): vector<u8>;
public native fun keccak256(data: &vector<u8>): vector<u8>;
