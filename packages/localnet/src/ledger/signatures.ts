import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { bcs } from '@mysten/sui/bcs';
import { type PublicKey, SIGNATURE_FLAG_TO_SCHEME, type SignatureScheme } from '@mysten/sui/cryptography';
import { Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519';
import { toBase64 } from '@mysten/sui/utils';
import { publicKeyFromRawBytes } from '@mysten/sui/verify';
import { LRUCache } from 'lru-cache';
import { blake2b256 } from '../internal/blake2b.ts';
import { messageOf } from '../internal/errors.ts';
import { multisigKey } from './multisig.ts';
import { refused, unsupported } from './refusals.ts';
import { LedgerError, type TransactionData } from './types.ts';

/** Intent of a transaction: scope TransactionData, version V0, app Sui. */
const transactionIntent = Uint8Array.of(0, 0, 0);

/** What stands before the 32 bytes of an Ed25519 key in its SubjectPublicKeyInfo form (RFC 8410). */
const ed25519Prefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Who signed: as many as are required (the sender, and the gas owner where another).
 *
 * @throws LedgerError with the reasons SignerSignatureNumberMismatch, InvalidSignature, or Unsupported for zkLogin.
 */
export async function verifySignatures(
  transactionBcs: Uint8Array,
  signatures: readonly Uint8Array[],
  signers: readonly string[],
): Promise<string[]> {
  const required = new Set(signers);
  if (signatures.length !== required.size) {
    throw refused(
      'SignerSignatureNumberMismatch',
      `Expect ${required.size} signer signatures but got ${signatures.length}`,
    );
  }
  return Promise.all(signatures.map((signature) => signerOf(transactionBcs, signature)));
}

/**
 * Checks that someone signed for each required signer who may.
 *
 * @param aliasesOf Who may sign for an address.
 * @throws LedgerError with the reason SignerSignatureAbsent.
 */
export function requireSigners(
  signers: readonly string[],
  signed: readonly string[],
  aliasesOf: (address: string) => readonly string[],
): void {
  for (const signer of signers) {
    if (aliasesOf(signer).some((alias) => signed.includes(alias))) continue;
    const found = JSON.stringify(signed);
    throw refused('SignerSignatureAbsent', `Required Signature from ${signer} is absent ${found}`);
  }
}

/** Who must sign: the sender, and the gas owner where it is another. */
export function signersOf(data: TransactionData['V1']): string[] {
  return data.gasData.owner === data.sender ? [data.sender] : [data.sender, data.gasData.owner];
}

/** The address whose key made this signature over the transaction. */
async function signerOf(transactionBcs: Uint8Array, signature: Uint8Array): Promise<string> {
  const scheme = schemes.get(signature[0] ?? -1);
  if (scheme === undefined) throw malformed(`unknown flag ${signature[0]}`);
  if (scheme === 'ZkLogin') throw unsupported('the signature scheme ZkLogin');
  const { address, valid } = await verified(scheme, transactionBcs, signature);
  if (valid) return address;
  throw refused('InvalidSignature', 'Signature is not valid: Fail to verify user sig');
}

async function verified(scheme: SignatureScheme, transactionBcs: Uint8Array, signature: Uint8Array) {
  try {
    if (scheme === 'ED25519') return await verifiedEd25519(transactionBcs, signature);
    const publicKey = publicKeyOf(scheme, signature);
    const valid = await publicKey.verifyTransaction(transactionBcs, toBase64(signature));
    return { address: publicKey.toSuiAddress(), valid };
  } catch (error) {
    throw error instanceof LedgerError ? error : malformed(messageOf(error));
  }
}

const verifyBeside = promisify(verify);

/** The same check in native code and on another thread: the SDK's takes longer than executing a transaction. */
async function verifiedEd25519(transactionBcs: Uint8Array, signature: Uint8Array) {
  const { key, address } = ed25519Signer(signature.subarray(65));
  const digest = blake2b256(transactionIntent, transactionBcs);
  return { address, valid: await verifyBeside(null, digest, key, signature.subarray(1, 65)) };
}

/** By the first byte of a signature. */
const schemes = new Map(
  Object.entries(SIGNATURE_FLAG_TO_SCHEME).map(([flag, scheme]) => [Number(flag), scheme]),
);

function publicKeyOf(scheme: SignatureScheme, signature: Uint8Array): PublicKey {
  switch (scheme) {
    case 'MultiSig':
      return multisigKey(signature.subarray(1));
    case 'Passkey': {
      const { userSignature } = bcs.PasskeyAuthenticator.parse(Uint8Array.from(signature.subarray(1)));
      // As in a signature of its own kind: flag, 64 bytes, public key.
      return publicKeyFromRawBytes(scheme, Uint8Array.from(userSignature.slice(65)));
    }
    default:
      // Flag, 64 bytes of signature, public key.
      return publicKeyFromRawBytes(scheme, Uint8Array.from(signature.subarray(65)));
  }
}

interface Ed25519Signer {
  key: KeyObject;
  address: string;
}

/** Who signed before, by the bytes of their keys: making these takes as long as verifying with them. */
const ed25519Signers = new LRUCache<string, Ed25519Signer>({ max: 1_000 });

/** Throws for bytes that are not a key. */
function ed25519Signer(rawKey: Uint8Array): Ed25519Signer {
  const name = Buffer.from(rawKey).toString('latin1');
  let signer = ed25519Signers.get(name);
  if (signer === undefined) {
    const publicKey = new Ed25519PublicKey(Uint8Array.from(rawKey));
    const der = Buffer.concat([ed25519Prefix, rawKey]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    signer = { key, address: publicKey.toSuiAddress() };
    ed25519Signers.set(name, signer);
  }
  return signer;
}

function malformed(detail: string) {
  return refused('InvalidSignature', `Signature is not valid: ${detail}`);
}
