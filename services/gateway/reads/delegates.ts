import { z } from 'zod';
import { readDelegates } from '../../../db/queries/wallets/delegates.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import {
  addressParameter,
  cursorParameter,
  limitMax,
  limitParameter,
  networkParameter,
} from '../request/parameters.ts';
import { type ReadHost, read } from './read.ts';

export const delegatesRequest = z.object({
  network: networkParameter,
  walletId: addressParameter,
  limit: limitParameter.meta({ description: `Most delegates per page; absent: ${limitMax}.` }),
  cursor: cursorParameter.meta({ description: 'As the `link` header of the page before gives it.' }),
});

const allowance = z.object({
  key: z.string().meta({ description: 'Type of the service or the coin.' }),
  amount: z.string().meta({ description: 'What is left, in base units.' }),
  unlimited: z.boolean(),
});

export const delegateInfo = z
  .object({
    address: z.string(),
    addedMs: z.int().min(0),
    services: z.array(allowance),
    coins: z.array(allowance),
    expiresMs: z.int().nullable().meta({ description: 'From when it may spend no more; null: never.' }),
    truncated: z.boolean().meta({ description: 'Whether budgets beyond 200 of a kind were left out.' }),
  })
  .meta({ id: 'DelegateInfo', description: 'An address that may spend for a wallet, with its budgets.' });

export const delegatesBody = z.array(delegateInfo);

/** `GET /api/vault/delegates`: in the order in which they were added. */
export function delegates(host: ReadHost) {
  return read(host, {
    query: delegatesRequest,
    needs: ['walletPackageId'],
    async answer({ request, network, exchange }) {
      const { walletId, limit = limitMax, cursor } = request;
      const [found] = await readDelegates(host.db, [{ network, walletId, first: limit, after: cursor }]);
      if (!found) throw problem('wallet_not_found', `There is no wallet ${walletId} on ${network}.`);
      const page = cutPage(found);
      if (page.hasMore) {
        const query = new URLSearchParams({
          network,
          walletId,
          limit: `${limit}`,
          cursor: page.cursors.at(-1)!,
        });
        exchange.res.setHeader('link', `</api/vault/delegates?${query}>; rel="next"`);
      }
      return page.items satisfies z.infer<typeof delegatesBody>;
    },
  });
}
