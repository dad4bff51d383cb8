import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { readWalletsOfOwner } from '../../../db/queries/wallets/wallets.ts';
import { problem } from '../../../lib/errors/index.ts';
import { addressParameter, networkParameter } from '../request/parameters.ts';
import { type ReadHost, read } from './read.ts';

/** Wallets of one owner in an answer; the newest. */
const walletsMax = 100;

export const vaultRequest = z.object({ network: networkParameter, owner: addressParameter });

const wallet = z.object({
  walletId: z.string(),
  identity: z.string().meta({ description: 'Address that coins are sent to.' }),
  paused: z.boolean().meta({ description: 'A paused wallet pays its owner alone.' }),
  createdMs: z.int().min(0),
});

export const vaultBody = z
  .object({
    network: z.enum(networks),
    owner: z.string(),
    walletId: z.string().meta({ description: 'The newest wallet of the owner.' }),
    identity: z.string().meta({ description: 'Address that coins for it are sent to.' }),
    walletCount: z.int().min(1).meta({ description: 'Wallets of the owner in all.' }),
    wallets: z.array(wallet).meta({ description: `The newest ${walletsMax} of them, the newest first.` }),
  })
  .meta({ id: 'Vault' });

/** `GET /api/vault`. */
export function vault(host: ReadHost) {
  return read(host, {
    query: vaultRequest,
    needs: ['walletPackageId'],
    async answer({ request: { owner }, network }) {
      const { items, total } = await readWalletsOfOwner(host.db, { network, owner, limit: walletsMax });
      const [newest] = items;
      if (!newest) throw problem('wallet_not_found', `${owner} owns no wallet on ${network}.`);
      return {
        network,
        owner,
        walletId: newest.walletId,
        identity: newest.identity,
        walletCount: total,
        wallets: items.map(({ owner: _, ...shown }) => shown),
      } satisfies z.infer<typeof vaultBody>;
    },
  });
}
