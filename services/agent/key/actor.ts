import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { readGranted } from '../../../db/queries/agent/access.ts';
import { type addressBody, addressRequest } from '../../../lib/agent/shapes.ts';
import { sendPrivateJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import type { NodeChoice } from '../chain/node.ts';
import type { AgentSigner, Signer } from './signer.ts';

/** Who acts for a wallet. */
export interface Actor extends Signer {
  /**
   * `wallet`: an address of this wallet's alone. `host`: the managed address itself, which other wallets may have
   * granted to as well, so that only adaptors the operator confirmed may be called with it.
   */
  kind: 'wallet' | 'host';
}

/** A wallet on a network. */
interface WalletRef {
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

export interface AddressDependencies {
  db: Pool;
  signer: AgentSigner;
  nodes: NodeChoice;
  defaultNetwork: Network;
}

/** Shows which address acts for a wallet, so that its owner can grant to it. It needs no key: an address is public. */
export const getAddress = route({
  method: 'get',
  path: '/api/agent/address',
  query: addressRequest,
  async handler({ exchange, query }, { db, signer, nodes, defaultNetwork }: AddressDependencies) {
    const { network = defaultNetwork, walletId } = query;
    nodes(network);
    const wallet = { network, walletId };
    const { kind: actsAs } = await actorOf(db, signer, wallet);
    const own = signer.forWallet?.(network, walletId) ?? signer;
    const answer: z.infer<typeof addressBody> = {
      ...wallet,
      address: own.address,
      payer: signer.address,
      actsAs,
    };
    sendPrivateJson(exchange, answer);
  },
});
