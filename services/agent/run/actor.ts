import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Pool } from 'pg';
import { readGranted } from '../../../db/queries/agent/granted.ts';
import type { AgentSigner, Signer } from '../key/signer.ts';

/** Who acts for a wallet. */
export interface Actor extends Signer {
  /**
   * `wallet`: an address of this wallet's alone. `host`: the managed address itself, which other wallets may have
   * granted to as well, so that only adaptors the operator confirmed may be called with it.
   */
  kind: 'wallet' | 'host';
}

/** A wallet on a network. */
export interface WalletRef {
  network: Network;
  walletId: string;
}

/**
 * Who acts for a wallet: its own address; the managed address where the wallet granted to that one and nothing to its
 * own yet, or where the key cannot derive addresses.
 */
export async function actorOf(db: Pool, signer: AgentSigner, wallet: WalletRef): Promise<Actor> {
  const host: Actor = { address: signer.address, sign: signer.sign, kind: 'host' };
  const own = signer.forWallet?.(wallet.network, wallet.walletId);
  if (!own) return host;
  const granted = await readGranted(db, wallet, [own.address, signer.address]);
  if (granted.has(signer.address) && !granted.has(own.address)) return host;
  return { ...own, kind: 'wallet' };
}
