import type { Network } from '@adaptor-marketplace/adaptor';
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

const grantType = builder.objectRef<Grant>('ServiceGrant').implement({
  description: 'A grant by the owner: how much of a coin a service may pull.',
  fields: (t) => ({
    serviceType: t.exposeString('serviceType'),
    coin: t.exposeString('coin'),
    allowance: t.exposeString('allowance', {
      nullable: true,
      description:
        'Remaining allowance in base units. Null if the package of the wallet does not limit grants.',
    }),
    pullCap: t.exposeString('pullCap', {
      nullable: true,
      description:
        'Remaining amount that others may have the service pull. Null if the owner has not allowed it.',
    }),
    grantedMs: t.expose('grantedMs', { type: 'Milliseconds' }),
  }),
});

const allowanceType = builder.objectRef<Allowance>('Allowance').implement({
  description: 'Remaining budget of a delegate, for one service or one coin.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Type of the service or of the coin.' }),
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
      description:
        'True if budgets are missing here because there are more than 200 for services or for coins.',
    }),
  }),
});

const delegateConnection = builder.connectionObject({
  type: delegateType,
  name: 'DelegateConnection',
});

const capType = builder.objectRef<KnownCap>('Cap').implement({
  description: 'A cap, from the events of its wallet. They do not show its current holder.',
  fields: (t) => ({
    capId: t.exposeString('capId'),
    kind: t.exposeString('kind', { description: '`bearer` or `scoped`.' }),
    walletId: t.exposeString('walletId'),
    recipient: t.exposeString('recipient', {
      nullable: true,
      description: 'Address that it was minted for, if known.',
    }),
    policyVersion: t.expose('policyVersion', { type: 'Count', nullable: true }),
    coin: t.exposeString('coin', {
      nullable: true,
      description: 'Coin type. This field and those up to `parent` are null for bearer caps.',
    }),
    budget: t.exposeString('budget', { nullable: true, description: 'Budget at minting, in base units.' }),
    remaining: t.exposeString('remaining', { nullable: true }),
    depth: t.exposeInt('depth', { nullable: true, description: '0 if the owner minted it.' }),
    maxDepth: t.exposeInt('maxDepth', { nullable: true }),
    parent: t.exposeString('parent', { nullable: true, description: 'Cap that it was split from.' }),
    mintedMs: t.expose('mintedMs', { type: 'Milliseconds' }),
    revokedMs: t.expose('revokedMs', {
      type: 'Milliseconds',
      nullable: true,
      description:
        'Time when this cap was revoked. Revoking an ancestor, or a newer policy version, also makes it void.',
    }),
    burnedMs: t.expose('burnedMs', { type: 'Milliseconds', nullable: true }),
  }),
});

const capConnection = builder.connectionObject({ type: capType, name: 'CapConnection' });

const ruleType = builder.objectRef<PolicyRule>('PolicyRule').implement({
  description: 'A rule of a policy.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: '`auth` or `caveat`.' }),
    rule: t.exposeString('rule', { description: 'Type of the witness of the rule.' }),
    forAuth: t.exposeString('forAuth', {
      nullable: true,
      description: 'Auth rule that a caveat applies to. Null if it applies to all.',
    }),
  }),
});

interface PolicyWithRecipients extends Policy {
  /** Null if the list is too long for one answer. */
  recipients: string[] | null;
}

const policyType = builder.objectRef<PolicyWithRecipients>('Policy').implement({
  description: 'The conditions for spending with a cap.',
  fields: (t) => ({
    version: t.expose('version', { type: 'Count', description: 'Caps of earlier versions are void.' }),
    spendInto: t.exposeBoolean('spendInto', {
      description: 'True if a spend may hand the coin to the transaction, where no recipient is checked.',
    }),
    rules: t.expose('rules', { type: [ruleType], description: 'Auth rules first. At most 200.' }),
    allowlistId: t.string({
      nullable: true,
      description: 'The allowlist of recipients that applies.',
      resolve: ({ allowlist }) => allowlist?.allowlistId ?? null,
    }),
    recipients: t.exposeStringList('recipients', {
      nullable: true,
      description:
        'Recipients on the allowlist. Null if there is none, or if the requested lists are too long together.',
    }),
  }),
});

/** Loads the policies of wallets in one round trip per network. */
async function loadPolicies(
  keys: readonly WalletKey[],
  { db }: GraphContext,
): Promise<(PolicyWithRecipients | null)[]> {
  const found = new Map<WalletKey, PolicyWithRecipients>();
  for (const [network, inNetwork] of Map.groupBy(keys, (key) => key.network)) {
    const walletIds = inNetwork.map(({ walletId }) => walletId);
    const { policies, tooLong } = await readPolicies(db, { network, walletIds, capIds: [] });
    for (const key of inNetwork) {
      const policy = policies.get(key.walletId);
      if (!policy) continue;
      const recipients = tooLong.has(key.walletId) ? null : (policy.allowlist?.recipients ?? null);
      found.set(key, { ...policy, recipients });
    }
  }
  return keys.map((key) => found.get(key) ?? null);
}

type OwnedWallet = Wallet & { network: Network };

const cacheKeyFn = (key: WalletKey) => JSON.stringify(Object.values(key));
const keyOf = ({ network, walletId }: OwnedWallet): WalletKey => ({ network, walletId });

/** Loads wallets in one round trip. Null for ids without a wallet. */
export async function loadWallets(
  keys: readonly { network: Network; walletId: string }[],
  { db }: GraphContext,
): Promise<(OwnedWallet | null)[]> {
  const wallets = await readWallets(db, keys);
  return wallets.map((wallet, at) => (wallet ? { ...wallet, network: keys[at]!.network } : null));
}

export const walletType = builder.objectRef<OwnedWallet>('Wallet').implement({
  description: 'A wallet whose owner lets others spend within limits.',
  fields: (t) => ({
    network: t.expose('network', { type: networkEnum }),
    walletId: t.exposeString('walletId'),
    owner: t.exposeString('owner'),
    identity: t.exposeString('identity', { description: 'Address to send coins to.' }),
    paused: t.exposeBoolean('paused', { description: 'True if only the owner can spend.' }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds' }),
    grants: t.loadableList({
      type: grantType,
      description: 'Grants to services, sorted by service and coin. The first 200.',
      extensions: { statement: 'grants' },
      loaderOptions: { cacheKeyFn },
      resolve: keyOf,
      load: (keys: WalletKey[], { db }) => readGrants(db, keys),
    }),
    policy: t.loadable({
      type: policyType,
      nullable: true,
      description: 'Policy of the wallet for its caps. Null if it has none.',
      extensions: { statement: 'policy' },
      loaderOptions: { cacheKeyFn },
      resolve: keyOf,
      load: loadPolicies,
    }),
    delegates: t.loadable({
      type: delegateConnection,
      description: 'Addresses that may spend, in the order they were added.',
      extensions: { statement: 'delegates' },
      args: pagingArgs,
      loaderOptions: { cacheKeyFn },
      resolve: (wallet, args): DelegatesKey => ({ ...keyOf(wallet), ...readPaging(args) }),
      load: async (keys: DelegatesKey[], { db }) =>
        (await readDelegates(db, keys)).map((page, at) => toConnection(page ?? emptyPage, keys[at]?.after)),
    }),
    caps: t.loadable({
      type: capConnection,
      description: 'All caps ever minted, newest first.',
      extensions: { statement: 'caps' },
      args: pagingArgs,
      loaderOptions: { cacheKeyFn },
      resolve: (wallet, args): CapsKey => ({ ...keyOf(wallet), ...readPaging(args) }),
      load: async (keys: CapsKey[], { db }) =>
        (await readCaps(db, keys)).map((page, at) => toConnection(page, keys[at]?.after)),
    }),
  }),
});

const emptyPage = { items: [], cursors: [], hasMore: false };

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
    description: 'The wallets of an owner, newest first.',
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
