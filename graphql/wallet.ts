import { jobList } from '../db/queries/jobs.ts';
import type { Page } from '../db/queries/page.ts';
import { type PolicySpend, spendList, walletActionList } from '../db/queries/wallets/actions.ts';
import { walletAllowlistList } from '../db/queries/wallets/allowlists.ts';
import { capList, mintedCapList } from '../db/queries/wallets/caps.ts';
import {
  type Allowance,
  bareDelegateList,
  type Delegate,
  delegateList,
} from '../db/queries/wallets/delegates.ts';
import { type Grant, grantList, grantsMax } from '../db/queries/wallets/grants.ts';
import { ownedWalletList, type WalletKey } from '../db/queries/wallets/wallets.ts';
import { listsBelow } from './ahead.ts';
import {
  chainArgs,
  checkpointRange,
  chosenNetwork,
  type PagingArgs,
  pagingArgs,
  parseAddress,
  readPaging,
  readRange,
} from './arguments.ts';
import { builder, chainEnum, networkEnum } from './builder.ts';
import { coinInfo } from './coins.ts';
import { connectionsOf, listBelow, pagesOf } from './connections.ts';
import {
  actionConnection,
  adaptorNode,
  allowlistNode,
  capNode,
  type In,
  jobConnection,
  loadShown,
  nodeId,
  ownWallet,
  policyNode,
  walletConnection,
  walletNode,
  withNetwork,
} from './nodes.ts';
import { type Selecting, selectedOf } from './selection.ts';

const grantType = builder.objectRef<In<Grant>>('ServiceGrant').implement({
  description: 'A grant by the owner: how much of a coin a service may pull.',
  fields: (t) => ({
    serviceType: t.exposeString('serviceType', { description: 'The service.' }),
    coin: t.exposeString('coin', { description: 'Coin type.' }),
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
    coinInfo: t.field(coinInfo(({ network, coin: coinType }) => ({ network, coinType }))),
    grantedMs: t.expose('grantedMs', { type: 'Milliseconds', description: 'Time when it was last set.' }),
    adaptor: t.field({
      type: adaptorNode,
      nullable: true,
      description: 'The entry that the catalog shows for the service. Null without one.',
      extensions: { statement: 'adaptor' },
      resolve: (grant, _, context) => loadShown(context, grant),
    }),
  }),
});

const allowanceType = builder.objectRef<Allowance>('Allowance').implement({
  description: 'Remaining budget of a delegate, for one service or one coin.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Type of the service or of the coin.' }),
    amount: t.exposeString('amount', { description: 'Base units.' }),
    unlimited: t.exposeBoolean('unlimited', { description: 'There is no limit.' }),
  }),
});

const delegateType = builder.objectRef<Delegate>('Delegate').implement({
  description: 'An address that may spend for a wallet.',
  fields: (t) => ({
    address: t.exposeString('address', { description: 'The address.' }),
    addedMs: t.expose('addedMs', { type: 'Milliseconds', description: 'Time when the owner added it.' }),
    expiresMs: t.expose('expiresMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'From this time on it may not spend. Null: no expiry.',
    }),
    services: t.expose('services', {
      type: [allowanceType],
      description: 'Budgets by service, at most 200.',
    }),
    coins: t.expose('coins', { type: [allowanceType], description: 'Budgets by coin, at most 200.' }),
    truncated: t.exposeBoolean('truncated', {
      description:
        'True if budgets are missing here because there are more than 200 for services or for coins.',
    }),
  }),
});

const kindEnum = builder.enumType('CapKind', {
  description: 'Kinds of caps.',
  values: {
    BEARER: { value: 'bearer', description: 'It opens what the policy allows, without a budget.' },
    SCOPED: { value: 'scoped', description: 'It has a budget in one coin, and can be split.' },
  } as const,
});

capNode.implement({
  description: 'A cap, from the events of its wallet. They do not show its current holder.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the wallet.' }),
    capId: t.exposeString('capId', { description: 'Id of the object.' }),
    kind: t.exposeString('kind', {
      description: '`bearer` or `scoped`.',
      deprecationReason: 'Use `capKind`, whose values are in capitals.',
    }),
    capKind: t.expose('kind', { type: kindEnum, description: 'What kind of cap it is.' }),
    walletId: t.exposeString('walletId', { description: 'The wallet that it spends from.' }),
    recipient: t.exposeString('recipient', {
      nullable: true,
      description: 'Address that it was minted for, if known.',
    }),
    policyVersion: t.expose('policyVersion', {
      type: 'Count',
      nullable: true,
      description: 'Version of the policy that it was minted under. Null if the package does not say.',
    }),
    coin: t.exposeString('coin', {
      nullable: true,
      description: 'Coin type. This field and those up to `parent` are null for bearer caps.',
    }),
    budget: t.exposeString('budget', { nullable: true, description: 'Budget at minting, in base units.' }),
    remaining: t.exposeString('remaining', {
      nullable: true,
      description: 'Remaining budget, in base units.',
    }),
    coinInfo: t.field(coinInfo(({ network, coin: coinType }) => ({ network, coinType }))),
    depth: t.exposeInt('depth', { nullable: true, description: '0 if the owner minted it.' }),
    maxDepth: t.exposeInt('maxDepth', { nullable: true, description: 'How deep it can be split.' }),
    parent: t.exposeString('parent', { nullable: true, description: 'Cap that it was split from.' }),
    mintedMs: t.expose('mintedMs', { type: 'Milliseconds', description: 'Time when it was minted.' }),
    revokedMs: t.expose('revokedMs', {
      type: 'Milliseconds',
      nullable: true,
      description:
        'Time when this cap was revoked. Revoking an ancestor, or a newer policy version, also makes it void.',
    }),
    burnedMs: t.expose('burnedMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time when its holder destroyed it. Null while it exists.',
    }),
    wallet: t.field(ownWallet),
    parentCap: t.field({
      type: capNode,
      nullable: true,
      description: 'Cap that it was split from. Null for one that the owner minted.',
      extensions: { statement: 'cap' },
      resolve: ({ network, parent }) => (parent === null ? null : nodeId(network, parent)),
    }),
  }),
});

const spendType = builder.objectRef<In<PolicySpend>>('PolicySpend').implement({
  description: 'A payment that the policy of a wallet allowed.',
  fields: (t) => ({
    eventId: t.exposeString('eventId', { description: '`<transaction digest>:<event index>`.' }),
    coin: t.exposeString('coin', { description: 'Coin type.' }),
    amount: t.exposeString('amount', { description: 'Base units.' }),
    coinInfo: t.field(coinInfo(({ network, coin: coinType }) => ({ network, coinType }))),
    recipient: t.exposeString('recipient', {
      description: 'Who got it. With `into`, whom the request named.',
    }),
    policyVersion: t.expose('policyVersion', { type: 'Count', description: 'Version of the policy.' }),
    sender: t.exposeString('sender', {
      nullable: true,
      description: 'Sender of the transaction. Null if the package does not say, as for the next three.',
    }),
    auth: t.exposeString('auth', { nullable: true, description: 'Auth rule that authorized it.' }),
    into: t.exposeBoolean('into', {
      nullable: true,
      description: 'The coin was returned to the transaction, so the recipient was not checked.',
    }),
    capId: t.exposeString('capId', { nullable: true, description: 'Cap that was used. Null without one.' }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds', description: 'Time of the checkpoint.' }),
    checkpoint: t.expose('checkpoint', { type: 'Count', description: 'Checkpoint of the event.' }),
    cap: t.field({
      type: capNode,
      nullable: true,
      description: 'Cap that was used. Null without one.',
      extensions: { statement: 'cap' },
      resolve: ({ network, capId }) => (capId === null ? null : nodeId(network, capId)),
    }),
  }),
});

const delegateConnection = builder.connectionObject({ type: delegateType, name: 'DelegateConnection' });
const capConnection = builder.connectionObject({ type: capNode, name: 'CapConnection' });
const spendConnection = builder.connectionObject({ type: spendType, name: 'PolicySpendConnection' });
const allowlistConnection = builder.connectionObject({ type: allowlistNode, name: 'AllowlistConnection' });

const grants = pagesOf(grantList);
const delegatesOf = connectionsOf(bareDelegateList, (delegate) => delegate, {
  list: delegateList,
  isAsked: ({ budgets }) => budgets === true,
});
const capsOf = connectionsOf(capList, withNetwork);
const mintedCapsOf = connectionsOf(mintedCapList, withNetwork);
const spendsOf = connectionsOf(spendList, withNetwork);
const actionsOf = connectionsOf(walletActionList, withNetwork);
const allowlistsOf = connectionsOf(walletAllowlistList, withNetwork);
const jobsOf = connectionsOf(jobList, withNetwork);
const walletsOf = connectionsOf(ownedWalletList, withNetwork);

const keyOf = ({ network, walletId }: WalletKey): WalletKey => ({ network, walletId });

/** The keys of lists of a wallet, by the arguments of their fields. */
const keys = {
  grants: (wallet: WalletKey) => ({ ...keyOf(wallet), first: grantsMax }),
  page: (wallet: WalletKey, args: PagingArgs) => ({ ...keyOf(wallet), ...readPaging(args) }),
  delegates(wallet: WalletKey, args: PagingArgs, info: Selecting) {
    const selected = selectedOf(info, ['edges', 'node']);
    const budgets = ['services', 'coins', 'truncated'].some((name) => selected.has(name));
    return { ...keyOf(wallet), ...readPaging(args), budgets };
  },
};

/** Stands for each wallet of a page, which their statement names. */
const each = {} as WalletKey;

/** Lists that are read together with a page of wallets. */
const belowWallets = {
  grants: () => listBelow(grants, keys.grants(each)),
  delegates: (args: PagingArgs, info: Selecting) =>
    listBelow(delegatesOf.pages, keys.delegates(each, args, info)),
  caps: (args: PagingArgs) => listBelow(capsOf.pages, keys.page(each, args)),
  allowlists: (args: PagingArgs) => listBelow(allowlistsOf.pages, keys.page(each, args)),
};

walletNode.implement({
  description: 'A wallet whose owner lets others spend within limits.',
  fields: (t) => ({
    network: t.expose('network', {
      type: networkEnum,
      description: 'As `chain`.',
      deprecationReason: 'Use `chain`, whose values are in capitals.',
    }),
    chain: t.expose('network', { type: chainEnum, description: 'Network of the wallet.' }),
    walletId: t.exposeString('walletId', { description: 'Id of the object.' }),
    owner: t.exposeString('owner', { description: 'Address of the present owner.' }),
    identity: t.exposeString('identity', { description: 'Address to send coins to.' }),
    paused: t.exposeBoolean('paused', { description: 'True if only the owner can spend.' }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds', description: 'Time of its creation.' }),
    grants: t.field({
      type: [grantType],
      description: 'Grants to services, sorted by service and coin. The first 200.',
      extensions: { statement: 'grants' },
      resolve(wallet, _, context) {
        const show = ({ items }: Pick<Page<Grant>, 'items'>) =>
          items.map((grant) => withNetwork(grant, wallet));
        const page = grants.below(wallet);
        return page ? show(page) : grants.read(context, keys.grants(wallet)).then((read) => show(read!));
      },
    }),
    policy: t.field({
      type: policyNode,
      nullable: true,
      description: 'Policy of the wallet for its caps. Null if it has none.',
      extensions: { statement: 'policy' },
      resolve: ({ network, walletId }) => nodeId(network, walletId),
    }),
    delegates: t.field({
      type: delegateConnection,
      description: 'Addresses that may spend, in the order they were added.',
      extensions: { statement: 'delegates' },
      args: pagingArgs,
      resolve: (wallet, args, context, info) =>
        delegatesOf.of(wallet, context, keys.delegates(wallet, args, info)),
    }),
    caps: t.field({
      type: capConnection,
      description: 'All caps ever minted, newest first.',
      extensions: { statement: 'caps' },
      args: pagingArgs,
      resolve: (wallet, args, context) => capsOf.of(wallet, context, keys.page(wallet, args)),
    }),
    actions: t.field({
      type: actionConnection,
      description: 'Counted uses of services by the wallet, newest first.',
      extensions: { statement: 'actions' },
      args: {
        checkpoint: t.arg({ type: checkpointRange, description: 'When, in checkpoints.' }),
        ...pagingArgs,
      },
      resolve: (wallet, { checkpoint, ...args }, context) =>
        actionsOf(context, {
          ...keyOf(wallet),
          checkpoints: readRange(checkpoint, 'checkpoint'),
          ...readPaging(args),
        }),
    }),
    spends: t.field({
      type: spendConnection,
      description: 'Payments that its policy allowed, newest first.',
      extensions: { statement: 'spends' },
      args: {
        checkpoint: t.arg({ type: checkpointRange, description: 'When, in checkpoints.' }),
        ...pagingArgs,
      },
      resolve: (wallet, { checkpoint, ...args }, context) =>
        spendsOf(context, {
          ...keyOf(wallet),
          checkpoints: readRange(checkpoint, 'checkpoint'),
          ...readPaging(args),
        }),
    }),
    allowlists: t.field({
      type: allowlistConnection,
      description: 'Its allowlists of recipients, also retired ones, newest first.',
      extensions: { statement: 'allowlists' },
      args: pagingArgs,
      resolve: (wallet, args, context) => allowlistsOf.of(wallet, context, keys.page(wallet, args)),
    }),
    jobs: t.field({
      type: jobConnection,
      description: 'Jobs that were created for the wallet, newest first.',
      extensions: { statement: 'jobs' },
      args: pagingArgs,
      resolve: ({ network, walletId: address }, args, context) =>
        jobsOf(context, { network, walletId: address, ...readPaging(args) }),
    }),
  }),
});

builder.queryFields((t) => ({
  wallet: t.field({
    type: walletNode,
    nullable: true,
    extensions: { statement: 'wallet' },
    description: 'One wallet. Null if the index does not know it.',
    args: { ...chainArgs, walletId: t.arg.string({ required: true, description: 'Id of the wallet.' }) },
    resolve(_, args, context) {
      const network = chosenNetwork(args, context);
      context.requireSource(network, 'wallet');
      return nodeId(network, parseAddress(args.walletId, 'walletId'));
    },
  }),
  wallets: t.field({
    type: walletConnection,
    extensions: { statement: 'each' },
    description: 'The wallets of an owner, newest first.',
    args: {
      ...chainArgs,
      owner: t.arg.string({ required: true, description: 'Address of the owner.' }),
      ...pagingArgs,
    },
    async resolve(_, args, context, info) {
      const network = chosenNetwork(args, context);
      context.requireSource(network, 'wallet');
      const key = { network, owner: parseAddress(args.owner, 'owner'), ...readPaging(args) };
      return await walletsOf(context, key, listsBelow('Wallet', ['edges', 'node'], belowWallets, info));
    },
  }),
  caps: t.field({
    type: capConnection,
    extensions: { statement: 'each' },
    description: 'The caps that were minted for an address, newest first. They may have other holders now.',
    args: {
      ...chainArgs,
      recipient: t.arg.string({ required: true, description: 'Address that they were minted for.' }),
      ...pagingArgs,
    },
    resolve(_, args, context) {
      const network = chosenNetwork(args, context);
      context.requireSource(network, 'wallet');
      const recipient = parseAddress(args.recipient, 'recipient');
      return mintedCapsOf(context, { network, recipient, ...readPaging(args) });
    },
  }),
}));
