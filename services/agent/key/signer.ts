import { createPrivateKey, sign } from 'node:crypto';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import { decodeSuiPrivateKey, messageWithIntent, toSerializedSignature } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { blake2b } from '@noble/hashes/blake2.js';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { readGranted } from '../../../db/queries/agent/access.ts';
import { deriveWalletKeypair } from '../../../lib/agent/wallet-key.ts';
import { FatalError } from '../../../lib/errors/index.ts';

/** The signer that acts for a wallet. */
export interface Actor extends Signer {
  /**
   * `wallet`: an address for this wallet alone. `host`: the managed address itself. Other wallets may have granted to
   * it too, so it may call only adaptors that the operator confirmed.
   */
  kind: 'wallet' | 'host';
}

interface WalletRef {
  network: Network;
  walletId: string;
}

/**
 * Returns the signer that acts for a wallet: the wallet's own address. It is the managed address if the wallet granted
 * to that one and nothing to its own yet, or if the key cannot derive addresses.
 */
export async function selectActor(db: Pool, signer: AgentSigner, wallet: WalletRef): Promise<Actor> {
  const host: Actor = { address: signer.address, sign: signer.sign, kind: 'host' };
  const own = signer.forWallet?.(wallet.network, wallet.walletId);
  if (!own) return host;
  const granted = await readGranted(db, wallet, [own.address, signer.address]);
  if (granted.has(signer.address) && !granted.has(own.address)) return host;
  return { ...own, kind: 'wallet' };
}

export interface Signer {
  /** In the long form. */
  address: string;
  /** The serialized signature, base64, of a transaction's BCS bytes. */
  sign(transaction: Uint8Array): Promise<string>;
}

/** Signs for the managed address, which pays the gas. The key is in this process or in a key management service. */
export interface AgentSigner extends Signer {
  /** Derives the signer for one wallet alone: its grants are useless for another. Absent if the key cannot derive. */
  forWallet?(network: Network, walletId: string): Signer;
}

/** Source of the managed key: the environment, or a file that only its owner can read. */
export type KeySource = { secretKey: string } | { file: string };

/** Maximum number of wallets whose derived signers are cached. */
const walletsMax = 1_000;

/** A signer whose ed25519 key is in this process. @throws FatalError `bad_settings`, which never shows the key */
export async function createLocalSigner(source: KeySource): Promise<AgentSigner> {
  const keypair =
    'secretKey' in source
      ? parseKeypair(source.secretKey, 'AGENT_SECRET_KEY')
      : parseKeypair(await readKeyFile(source.file), 'AGENT_SECRET_KEY_FILE');
  const derived = new LRUCache<string, Signer>({ max: walletsMax });
  return {
    ...createSigner(keypair),
    forWallet(network, walletId) {
      const key = `${network}/${walletId}`;
      const known = derived.get(key);
      if (known) return known;
      const signer = createSigner(deriveWalletKeypair(keypair, network, walletId));
      derived.set(key, signer);
      return signer;
    },
  };
}

function createSigner(keypair: Ed25519Keypair): Signer {
  const sign = createTransactionSigner(keypair);
  return { address: keypair.toSuiAddress(), sign: async (transaction) => sign(transaction) };
}

function parseKeypair(text: string, setting: string): Ed25519Keypair {
  try {
    return Ed25519Keypair.fromSecretKey(text.trim());
  } catch {
    throw new FatalError('bad_settings', `${setting}: expected an ed25519 key, suiprivkey1...`);
  }
}

async function readKeyFile(file: string): Promise<string> {
  return await readSecretFile(file).catch((error: unknown) => {
    throw new FatalError('bad_settings', `AGENT_SECRET_KEY_FILE: ${getErrorMessage(error)}`);
  });
}

/**
 * Signs transactions with the platform's ed25519, to the same bytes as `keypair.signTransaction`. In JavaScript a
 * signature costs as much processor time as all the SQL of a run.
 */
export function createTransactionSigner(keypair: Ed25519Keypair): (transaction: Uint8Array) => string {
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
