import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Router } from 'express';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { type addressBody, addressRequest } from '../../../lib/agent/shapes.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import type { NodeChoice } from '../chain/node.ts';
import type { AgentSigner } from '../key/signer.ts';
import { sendJson } from '../server/exchange.ts';
import { searchOf } from '../server/search.ts';
import { actorOf } from './actor.ts';

export interface AddressHost {
  db: Pool;
  signer: AgentSigner;
  nodes: NodeChoice;
  defaultNetwork: Network;
}

/** Which address acts for a wallet, so that its owner can grant to it. Keyless: an address is no secret. */
export function addressRoutes(router: Router, { db, signer, nodes, defaultNetwork }: AddressHost): void {
  router.get('/api/agent/address', async (req, res) => {
    const { network = defaultNetwork, walletId } = parseQuery(addressRequest, searchOf(req));
    nodes(network);
    const wallet = { network, walletId };
    const { kind: actsAs } = await actorOf(db, signer, wallet);
    const own = signer.forWallet?.(network, walletId) ?? signer;
    const body: z.infer<typeof addressBody> = {
      ...wallet,
      address: own.address,
      payer: signer.address,
      actsAs,
    };
    sendJson(res, body);
  });
}
