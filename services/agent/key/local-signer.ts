import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { LRUCache } from 'lru-cache';
import { walletKeypair } from '../../../lib/agent/wallet-key.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import { transactionSigner } from './native-ed25519.ts';
import type { AgentSigner, Signer } from './signer.ts';

/** Where the managed key is kept: in the environment, or in a file that only its owner can read. */
export type KeySource = { secretKey: string } | { file: string };

/** Wallets whose derived signers are kept in memory. */
const walletsMax = 1_000;

/**
 * A signer whose ed25519 key is in this process.
 * @throws FatalError `bad_settings`, which never shows the key
 */
export async function localSigner(source: KeySource): Promise<AgentSigner> {
  const keypair =
    'secretKey' in source
      ? keypairOf(source.secretKey, 'AGENT_SECRET_KEY')
      : keypairOf(await readKeyFile(source.file), 'AGENT_SECRET_KEY_FILE');
  const derived = new LRUCache<string, Signer>({ max: walletsMax });
  return {
    ...signerOf(keypair),
    forWallet(network, walletId) {
      const key = `${network}/${walletId}`;
      const known = derived.get(key);
      if (known) return known;
      const signer = signerOf(walletKeypair(keypair, network, walletId));
      derived.set(key, signer);
      return signer;
    },
  };
}

function signerOf(keypair: Ed25519Keypair): Signer {
  const sign = transactionSigner(keypair);
  return { address: keypair.toSuiAddress(), sign: async (transaction) => sign(transaction) };
}

function keypairOf(text: string, setting: string): Ed25519Keypair {
  try {
    return Ed25519Keypair.fromSecretKey(text.trim());
  } catch {
    throw new FatalError('bad_settings', `${setting}: expected an ed25519 key, suiprivkey1...`);
  }
}

async function readKeyFile(file: string): Promise<string> {
  return await readSecretFile(file).catch((error: unknown) => {
    throw new FatalError('bad_settings', `AGENT_SECRET_KEY_FILE: ${messageOf(error)}`);
  });
}
