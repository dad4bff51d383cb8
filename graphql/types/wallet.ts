import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { type CapsKey, readCaps } from '../../db/queries/wallets/caps.ts';
import { type DelegatesKey, readDelegates } from '../../db/queries/wallets/delegates.ts';
import {
  readWallets,
  readWalletsOfOwner,
  type Wallet,
  type WalletKey,
} from '../../db/queries/wallets/wallets.ts';
import { readGrants } from '../../db/queries/wallets/grants.ts';
import { builder } from '../builder.ts';
import type { GraphContext } from '../context.ts';
import { parseAddress } from '../filter.ts';
import { pagingArgs, readPaging, toConnection } from '../paging.ts';
import { capConnection } from './cap.ts';
import { delegateConnection } from './delegate.ts';
import { networkEnum } from './enums.ts';
import { grantType } from './grant.ts';
import { loadPolicies, policyType } from './policy.ts';

export type OwnedWallet = Wallet & { network: Network };

const cacheKeyFn = (key: WalletKey) => JSON.stringify(Object.values(key));
const keyOf = ({ network, walletId }: OwnedWallet): WalletKey => ({ network, walletId });

/** Reads many wallets in one round trip; null where there is none. */
export async function loadWallets(
  keys: readonly { network: Network; walletId: string }[],
  { db }: GraphContext,
): Promise<(OwnedWallet | null)[]> {
  const wallets = await readWallets(db, keys);
  return wallets.map((wallet, at) => (wallet ? { ...wallet, network: keys[at]!.network } : null));
}

export const walletType = builder.objectRef<OwnedWallet>('Wallet').implement({
  description: 'A wallet that others may spend from within what its owner allows.',
  fields: (t) => ({
    network: t.expose('network', { type: networkEnum }),
    walletId: t.exposeString('walletId'),
    owner: t.exposeString('owner'),
    identity: t.exposeString('identity', { description: 'Address that coins are sent to.' }),
    paused: t.exposeBoolean('paused', { description: 'A paused wallet pays its owner alone.' }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds' }),
    grants: t.loadableList({
      type: grantType,
      description: 'What services may pull, by service and coin; the first 200.',
      extensions: { statement: 'grants' },
      loaderOptions: { cacheKeyFn },
      resolve: keyOf,
      load: (keys: WalletKey[], { db }) => readGrants(db, keys),
    }),
    policy: t.loadable({
      type: policyType,
      nullable: true,
      description: 'What the caps of the wallet are bound to; null where it has no policy.',
      extensions: { statement: 'policy' },
      loaderOptions: { cacheKeyFn },
      resolve: keyOf,
      load: loadPolicies,
    }),
    delegates: t.loadable({
      type: delegateConnection,
      description: 'Addresses that may spend, in the order in which they were added.',
      extensions: { statement: 'delegates' },
      args: pagingArgs,
      loaderOptions: { cacheKeyFn },
      resolve: (wallet, args): DelegatesKey => ({ ...keyOf(wallet), ...readPaging(args) }),
      load: async (keys: DelegatesKey[], { db }) =>
        (await readDelegates(db, keys)).map((page, at) => toConnection(page ?? nobody, keys[at]?.after)),
    }),
    caps: t.loadable({
      type: capConnection,
      description: 'Every cap that was minted, the newest first.',
      extensions: { statement: 'caps' },
      args: pagingArgs,
      loaderOptions: { cacheKeyFn },
      resolve: (wallet, args): CapsKey => ({ ...keyOf(wallet), ...readPaging(args) }),
      load: async (keys: CapsKey[], { db }) =>
        (await readCaps(db, keys)).map((page, at) => toConnection(page, keys[at]?.after)),
    }),
  }),
});

const nobody = { items: [], cursors: [], hasMore: false };

const walletConnection = builder.connectionObject({ type: walletType, name: 'WalletConnection' });

builder.queryFields((t) => ({
  wallet: t.loadable({
    type: walletType,
    nullable: true,
    extensions: { statement: 'wallet' },
    args: { network: t.arg({ type: networkEnum }), walletId: t.arg.string({ required: true }) },
    loaderOptions: { cacheKeyFn },
    resolve(_, args, { choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'wallet');
      return { network, walletId: parseAddress(args.walletId, 'walletId') };
    },
    load: loadWallets,
  }),
  wallets: t.field({
    type: walletConnection,
    extensions: { statement: 'each' },
    description: 'The wallets of an owner, the newest first.',
    args: { network: t.arg({ type: networkEnum }), owner: t.arg.string({ required: true }), ...pagingArgs },
    async resolve(_, args, { db, choose, requireSource }) {
      const network = choose(args.network ?? undefined);
      requireSource(network, 'wallet');
      const { first, after } = readPaging(args);
      const owner = parseAddress(args.owner, 'owner');
      const page = await readWalletsOfOwner(db, { network, owner, limit: first, cursor: after });
      return toConnection({ ...page, items: page.items.map((wallet) => ({ ...wallet, network })) }, after);
    },
  }),
}));
