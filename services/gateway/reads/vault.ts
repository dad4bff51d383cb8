import { z } from 'zod';
import { readPages } from '../../../db/queries/lists.ts';
import { readDelegates } from '../../../db/queries/wallets/delegates.ts';
import { countedWalletList } from '../../../db/queries/wallets/wallets.ts';
import { problem } from '../../../lib/errors/index.ts';
import { answerEntriesMax, cutPage } from '../../../lib/http/bounded-page.ts';
import {
  addressParameter,
  atMs,
  cursorParameter,
  headers,
  id,
  limitParameter,
  monthMs,
  networkName,
  networkParameter,
  owner,
  pageBound,
  serviceType,
  sui,
  walletId,
} from '../openapi/parts.ts';
import { createReadRoute } from './read.ts';

const walletsMax = 100;

const wallet = z.object({
  walletId: z.string(),
  identity: z.string().meta({ description: 'Address that coins are sent to.' }),
  paused: z.boolean().meta({ description: 'A paused wallet pays only its owner.' }),
  createdMs: z.int().min(0),
});

export const vaultBody = z
  .object({
    network: networkName,
    owner: z.string(),
    walletId: z.string().meta({ description: 'The newest wallet of the owner.' }),
    identity: z.string().meta({ description: 'Address that coins for it are sent to.' }),
    walletCount: z.int().min(1).meta({ description: 'All wallets of the owner.' }),
    wallets: z.array(wallet).meta({ description: `The newest ${walletsMax} of them, newest first.` }),
  })
  .meta({ id: 'Vault' });

const getVault = createReadRoute({
  path: '/api/vault',
  query: z.object({
    network: networkParameter,
    owner: addressParameter.meta({ description: 'Address of the owner.' }),
  }),
  needs: ['walletPackageId'],
  body: vaultBody,
  operation: {
    operationId: 'getVault',
    summary: "Get an owner's wallet",
    refusals: ['wallet_not_found'],
    example: {
      query: { owner },
      answer: {
        network: 'testnet',
        owner,
        walletId,
        identity: walletId,
        walletCount: 1,
        wallets: [{ walletId, identity: walletId, paused: false, createdMs: atMs }],
      },
    },
  },
  async answer({ query: { owner }, network, db }) {
    const [page] = await readPages(db, countedWalletList, [{ network, owner, first: walletsMax }]);
    const { items } = page!;
    const [newest] = items;
    if (!newest) throw problem('wallet_not_found', `${owner} owns no wallet on ${network}.`);
    return {
      network,
      owner,
      walletId: newest.walletId,
      identity: newest.identity,
      walletCount: newest.total,
      wallets: items.map(({ owner: _owner, total: _total, ...shown }) => shown),
    } satisfies z.infer<typeof vaultBody>;
  },
});

const allowance = z
  .object({
    key: z.string().meta({ description: 'Type of the service or the coin.' }),
    amount: z.string().meta({ description: 'What is left, in base units.' }),
    unlimited: z.boolean(),
  })
  .meta({ id: 'Allowance' });

const delegateInfo = z
  .object({
    address: z.string(),
    addedMs: z.int().min(0),
    services: z.array(allowance),
    coins: z.array(allowance),
    expiresMs: z
      .int()
      .nullable()
      .meta({ description: 'From this time on it may no longer spend; null: no expiry.' }),
    truncated: z.boolean().meta({ description: 'Whether budgets beyond 200 of a kind were left out.' }),
  })
  .meta({ id: 'DelegateInfo', description: 'An address that may spend for a wallet, with its budgets.' });

export const delegatesBody = z.array(delegateInfo);

const exampleAllowance = { amount: '175000000', unlimited: false };

const listDelegates = createReadRoute({
  path: '/api/vault/delegates',
  query: z.object({
    network: networkParameter,
    walletId: addressParameter.meta({ description: 'Id of the wallet.' }),
    limit: limitParameter.meta({ description: `Most delegates per page; default: ${pageBound}.` }),
    cursor: cursorParameter.meta({ description: 'From the `link` header of the page before.' }),
  }),
  needs: ['walletPackageId'],
  body: delegatesBody,
  operation: {
    operationId: 'listDelegates',
    summary: "List a wallet's delegates with their budgets",
    description:
      'Delegates are addresses that may spend for the wallet, in the order in which they were added.',
    headers: { link: headers.link },
    refusals: ['wallet_not_found'],
    example: {
      query: { walletId },
      answer: [
        {
          address: id('4'),
          addedMs: atMs,
          expiresMs: atMs + monthMs,
          services: [{ key: serviceType, ...exampleAllowance }],
          coins: [{ key: sui, ...exampleAllowance }],
          truncated: false,
        },
      ],
    },
  },
  async answer({ query: { walletId, limit = answerEntriesMax, cursor }, network, exchange, db }) {
    const [found] = await readDelegates(db, [{ network, walletId, first: limit, after: cursor }]);
    if (!found) throw problem('wallet_not_found', `There is no wallet ${walletId} on ${network}.`);
    const { items, nextCursor } = cutPage(found);
    if (nextCursor !== undefined) {
      const next = { network, walletId, limit: `${limit}`, cursor: nextCursor };
      exchange.res.setHeader('link', `</api/vault/delegates?${new URLSearchParams(next)}>; rel="next"`);
    }
    return items satisfies z.infer<typeof delegatesBody>;
  },
});

export const vaultRoutes = [getVault, listDelegates];
