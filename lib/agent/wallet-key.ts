import { createHmac } from 'node:crypto';
import { decodeSuiPrivateKey } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';

/**
 * The key of the address that acts for one wallet: its ed25519 seed is HMAC-SHA256, under the managed key's seed, of
 * the network and the wallet's id. One managed key gives the same addresses on every host.
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
