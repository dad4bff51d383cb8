import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { type CapsKey, type KnownCap, readCaps } from '../db/queries/wallets/caps.ts';
import {
  type Allowance,
  type Delegate,
  type DelegatesKey,
  readDelegates,
} from '../db/queries/wallets/delegates.ts';
import { type Grant, readGrants } from '../db/queries/wallets/grants.ts';
import { type Policy, type PolicyRule, readPolicies } from '../db/queries/wallets/policies.ts';
import {
  readWallets,
  readWalletsOfOwner,
  type Wallet,
  type WalletKey,
} from '../db/queries/wallets/wallets.ts';
import { pagingArgs, parseAddress, readPaging, toConnection } from './arguments.ts';
import { builder, type GraphContext, networkEnum } from './builder.ts';

export const grantType = builder.objectRef<Grant>('ServiceGrant').implement({
  description: 'What a service may pull of a coin, by the grant of the owner.',
  fields: (t) => ({
    serviceType: t.exposeString('serviceType'),
    coin: t.exposeString('coin'),
    allowance: t.exposeString('allowance', {
      nullable: true,
      description: 'What is left of it, in base units; null where the package of the wallet bounds no grant.',
    }),
    pullCap: t.exposeString('pullCap', {
      nullable: true,
      description: "What is left to pull at another's request; null where the owner has not allowed that.",
    }),
    grantedMs: t.expose('grantedMs', { type: 'Milliseconds' }),
  }),
});

const allowanceType = builder.objectRef<Allowance>('Allowance').implement({
  description: 'What a delegate may still spend: through one service, or of one coin.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Type of the service or the coin.' }),
    amount: t.exposeString('amount', { description: 'Base units.' }),
    unlimited: t.exposeBoolean('unlimited'),
  }),
});

const delegateType = builder.objectRef<Delegate>('Delegate').implement({
  description: 'An address that may spend for a wallet.',
  fields: (t) => ({
    address: t.exposeString('address'),
    addedMs: t.expose('addedMs', { type: 'Milliseconds' }),
    expiresMs: t.expose('expiresMs', { type: 'Milliseconds', nullable: true }),
    services: t.expose('services', { type: [allowanceType] }),
    coins: t.expose('coins', { type: [allowanceType] }),
    truncated: t.exposeBoolean('truncated', {
      description: 'Whether budgets beyond 200 of a kind were left out.',
    }),
  }),
});

export const delegateConnection = builder.connectionObject({
  type: delegateType,
  name: 'DelegateConnection',
});

const capType = builder.objectRef<KnownCap>('Cap').implement({
  description: 'A cap as the events of its wallet tell of it. Who holds it now is not among them.',
  fields: (t) => ({
    capId: t.exposeString('capId'),
    kind: t.exposeString('kind', { description: 'bearer or scoped.' }),
    walletId: t.exposeString('walletId'),
    recipient: t.exposeString('recipient', {
      nullable: true,
      description: 'Whom it was minted for, where known.',
    }),
    policyVersion: t.expose('policyVersion', { type: 'Count', nullable: true }),
    coin: t.exposeString('coin', { nullable: true, description: 'Of a scoped cap, like all up to parent.' }),
    budget: t.exposeString('budget', { nullable: true, description: 'As minted, in base units.' }),
    remaining: t.exposeString('remaining', { nullable: true }),
    depth: t.exposeInt('depth', { nullable: true, description: '0 for one that the owner minted.' }),
    maxDepth: t.exposeInt('maxDepth', { nullable: true }),
    parent: t.exposeString('parent', { nullable: true, description: 'The cap that it was split from.' }),
    mintedMs: t.expose('mintedMs', { type: 'Milliseconds' }),
    revokedMs: t.expose('revokedMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'When this very cap was revoked; it is void also with an ancestor, or an earlier policy.',
    }),
    burnedMs: t.expose('burnedMs', { type: 'Milliseconds', nullable: true }),
  }),
});

export const capConnection = builder.connectionObject({ type: capType, name: 'CapConnection' });

const ruleType = builder.objectRef<PolicyRule>('PolicyRule').implement({
  description: 'A rule that a policy holds.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'auth or caveat.' }),
    rule: t.exposeString('rule', { description: 'Type of its witness.' }),
    forAuth: t.exposeString('forAuth', {
      nullable: true,
      description: 'The auth rule that a caveat goes with; null for a caveat of all of them.',
    }),
  }),
});

interface ShownPolicy extends Policy {
  /** Null where the list was too long for one answer. */
  recipients: string[] | null;
}

export const policyType = builder.objectRef<ShownPolicy>('Policy').implement({
  description: 'What those who spend by a cap are bound to.',
  fields: (t) => ({
    version: t.expose('version', { type: 'Count', description: 'Caps of an earlier one open nothing.' }),
    spendInto: t.exposeBoolean('spendInto', {
      description: 'Whether a spend may hand the coin to the transaction, where no recipient is checked.',
    }),
    rules: t.expose('rules', { type: [ruleType], description: 'Auth rules first; 200 at most.' }),
    allowlistId: t.string({
      nullable: true,
      description: 'The list of recipients in force.',
      resolve: ({ allowlist }) => allowlist?.allowlistId ?? null,
    }),
    recipients: t.exposeStringList('recipients', {
      nullable: true,
      description: 'Who is on that list; null where there is none, or all that were asked for are too long.',
    }),
  }),
});

/** Reads the policies of many wallets in one round trip per network. */
export async function loadPolicies(
  keys: readonly WalletKey[],
  { db }: GraphContext,
): Promise<(ShownPolicy | null)[]> {
  const found = new Map<WalletKey, ShownPolicy>();
  for (const [network, wanted] of Map.groupBy(keys, (key) => key.network)) {
    const walletIds = wanted.map(({ walletId }) => walletId);
    const { policies, tooLong } = await readPolicies(db, { network, walletIds, capIds: [] });
    for (const key of wanted) {
      const policy = policies.get(key.walletId);
      if (!policy) continue;
      const recipients = tooLong.has(key.walletId) ? null : (policy.allowlist?.recipients ?? null);
      found.set(key, { ...policy, recipients });
    }
  }
  return keys.map((key) => found.get(key) ?? null);
}

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
