import { createHmac } from 'node:crypto';
import { decodeSuiPrivateKey } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';

/**
 * Derives the key pair of the address that acts for one wallet. Its ed25519 seed is the HMAC-SHA256 of the network and
 * the wallet's id, with the seed of the managed key as the key. Hosts with the same managed key have the same addresses.
 * @param walletId in the long form
 */
export function deriveWalletKeypair(
  managed: Ed25519Keypair,
  network: string,
  walletId: string,
): Ed25519Keypair {
  const { secretKey } = decodeSuiPrivateKey(managed.getSecretKey());
  const seed = createHmac('sha256', secretKey).update(`agent address\0${network}\0${walletId}`).digest();
  return Ed25519Keypair.fromSecretKey(seed);
}
