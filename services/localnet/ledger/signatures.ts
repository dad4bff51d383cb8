import { createPublicKey, verify } from 'node:crypto';
import { SIGNATURE_FLAG_TO_SCHEME } from '@mysten/sui/cryptography';
import { toBase64 } from '@mysten/sui/utils';
import { publicKeyFromRawBytes } from '@mysten/sui/verify';
import { blake2b } from '@noble/hashes/blake2.js';
import { messageOf } from '../../../lib/errors/index.ts';
import { refused, unsupported } from './refusals.ts';
import type { TransactionData } from './types.ts';

/** Intent of a transaction: scope TransactionData, version V0, app Sui. */
const transactionIntent = Uint8Array.of(0, 0, 0);

/** What stands before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo form (RFC 8410). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Checks that exactly the required signers (the sender, and the gas owner where another) signed.
 *
 * @throws LedgerError with the reasons SignerSignatureNumberMismatch, SignerSignatureAbsent,
 *   InvalidSignature, or Unsupported for multisig, zkLogin and passkey signatures.
 */
export async function checkSignatures(
  transactionBcs: Uint8Array,
  signatures: readonly Uint8Array[],
  signers: readonly string[],
): Promise<void> {
  const required = new Set(signers);
  if (signatures.length !== required.size) {
    throw refused(
      'SignerSignatureNumberMismatch',
      `Expect ${required.size} signer signatures but got ${signatures.length}`,
    );
  }
  const actual = await Promise.all(signatures.map((signature) => signerOf(transactionBcs, signature)));
  for (const signer of required) {
    if (!actual.includes(signer)) {
      const found = JSON.stringify(actual);
      throw refused('SignerSignatureAbsent', `Required Signature from ${signer} is absent ${found}`);
    }
  }
}

/** Who must sign: the sender, and the gas owner where it is another. */
export function signersOf(data: TransactionData['V1']): string[] {
  return data.gasData.owner === data.sender ? [data.sender] : [data.sender, data.gasData.owner];
}

/** The address whose key made this signature over the transaction. */
async function signerOf(transactionBcs: Uint8Array, signature: Uint8Array): Promise<string> {
  const { publicKey, valid } = await verified(transactionBcs, signature);
  if (!valid) {
    throw refused('InvalidSignature', 'Signature is not valid: Fail to verify user sig');
  }
  return publicKey.toSuiAddress();
}

async function verified(transactionBcs: Uint8Array, signature: Uint8Array) {
  const scheme = new Map(Object.entries(SIGNATURE_FLAG_TO_SCHEME)).get(String(signature[0]));
  if (scheme !== 'ED25519' && scheme !== 'Secp256k1' && scheme !== 'Secp256r1') {
    if (scheme === undefined) throw malformed(`unknown flag ${signature[0]}`);
    throw unsupported(`the signature scheme ${scheme}`);
  }
  // Flag, 64 bytes of signature, public key.
  const rawSignature = signature.subarray(1, 65);
  const rawKey = Uint8Array.from(signature.subarray(65));
  try {
    const publicKey = publicKeyFromRawBytes(scheme, rawKey);
    if (scheme !== 'ED25519') {
      return { publicKey, valid: await publicKey.verifyTransaction(transactionBcs, toBase64(signature)) };
    }
    // The same check in native code: the SDK's takes longer than executing a transaction.
    const digest = blake2b.create({ dkLen: 32 }).update(transactionIntent).update(transactionBcs).digest();
    const der = Buffer.concat([ed25519Prefix, rawKey]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return { publicKey, valid: verify(null, digest, key, rawSignature) };
  } catch (error) {
    throw malformed(messageOf(error));
  }
}

function malformed(detail: string) {
  return refused('InvalidSignature', `Signature is not valid: ${detail}`);
}
