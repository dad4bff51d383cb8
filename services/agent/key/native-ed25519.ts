import { createPrivateKey, sign } from 'node:crypto';
import { decodeSuiPrivateKey, messageWithIntent, toSerializedSignature } from '@mysten/sui/cryptography';
import type { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { blake2b } from '@noble/hashes/blake2.js';

/**
 * Signs transactions as `keypair.signTransaction` does, to the byte, by the platform's ed25519: in JavaScript a signature
 * costs as much processor time as all the SQL of a run.
 * @returns the serialized signature, base64, of a transaction's BCS bytes
 */
export function transactionSigner(keypair: Ed25519Keypair): (transaction: Uint8Array) => string {
  const publicKey = keypair.getPublicKey();
  const { secretKey } = decodeSuiPrivateKey(keypair.getSecretKey());
  const key = createPrivateKey({
    format: 'jwk',
    key: { kty: 'OKP', crv: 'Ed25519', d: base64url(secretKey), x: base64url(publicKey.toRawBytes()) },
  });
  return (transaction) => {
    const digest = blake2b(messageWithIntent('TransactionData', transaction), { dkLen: 32 });
    return toSerializedSignature({
      signature: sign(null, digest, key),
      signatureScheme: 'ED25519',
      publicKey,
    });
  };
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
