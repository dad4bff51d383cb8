import { jobList } from '../db/queries/jobs.ts';
import type { Page } from '../db/queries/page.ts';
import { type PolicySpend, spendList, walletActionList } from '../db/queries/wallets/actions.ts';
import { walletAllowlistList } from '../db/queries/wallets/allowlists.ts';
import { capList, ownerCapList } from '../db/queries/wallets/caps.ts';
import {
  type Allowance,
  bareDelegateList,
  type Delegate,
  delegateList,
} from '../db/queries/wallets/delegates.ts';
import {
  type GrantedListing,
  grantedStates,
  readGrantedListings,
} from '../db/queries/wallets/granted-listings.ts';
import { type Grant, grantList, grantsMax } from '../db/queries/wallets/grants.ts';
import { ownedWalletList, type WalletKey } from '../db/queries/wallets/wallets.ts';
import { findListsBelow } from './ahead.ts';
import {
  buildListOptions,
  chainArgs,
  checkpointRange,
  chooseNetwork,
  type PagingArgs,
  pagingArgs,
  parseAddress,
  readPaging,
  readRange,
} from './arguments.ts';
import { builder, chainEnum, networkEnum, nullable, nullableTime } from './builder.ts';
import { coinInfo } from './coins.ts';
import { batched, createConnectionLoader, createPageLoader, describeNestedList } from './connections.ts';
import {
  actionConnection,
  agentNode,
  allowlistNode,
  buildEventField,
  capNode,
  jobConnection,
  nodeId,
  type OnNetwork,
  policyNode,
  reference,
  shownAdaptor,
  walletConnection,
  walletField,
  walletNode,
  withNetwork,
} from './nodes.ts';
import { buildEventsField } from './object-events.ts';
import { capConnection } from './policy.ts';
import { listSelectedFields, type Selecting } from './selection.ts';

const stateWords: Record<GrantedListing['state'], string> = {
  listed: 'It is listed as it was when the owner granted.',
  replaced: 'A later version is listed than the one at the time of the grant.',
  unlisted: 'The publisher has unlisted it.',
  quarantined: 'An operator of this marketplace holds it in quarantine.',
};

const grantedState = builder.enumType('GrantedListingState', {
  description: 'State of the listing of a service that a wallet granted to. Others may be added.',
  values: Object.fromEntries(
    grantedStates.map((value) => [value.toUpperCase(), { value, description: stateWords[value] }]),
  ) as Record<string, { value: GrantedListing['state'] }>,
});

const grantedListingType = builder.objectRef<GrantedListing>('GrantedListing').implement({
  description: 'The listing of a service that a wallet granted to, compared with the time of the grant.',
  fields: (t) => ({
    state: t.expose('state', { type: grantedState, description: 'Its state.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'The change in words, and what the owner can do. Null if it is listed as it was.',
    }),
    sinceMs: t.expose('sinceMs', {
      type: 'Milliseconds',
      nullable: true,
      description: 'Time of the change. Null if it is listed as it was.',
    }),
  }),
});

const loadGrantedListing = batched(readGrantedListings);

export const grantType = builder
  .objectRef<OnNetwork<Grant & { walletId: string }>>('ServiceGrant')
  .implement({
    description: 'A grant by the owner: how much of a coin a service may pull.',
    fields: (t) => ({
      serviceType: t.exposeString('serviceType', { description: 'The service.' }),
      walletId: t.exposeString('walletId', { description: 'The wallet.' }),
      wallet: t.field(walletField),
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
      adaptor: t.field(shownAdaptor),
      listing: t.field({
        type: grantedListingType,
        nullable: true,
        description: 'State of the listing of the service. Null if nobody ever listed it.',
        extensions: { statement: 'grantedListing' },
        resolve: async ({ network, serviceType, grantedMs }, _, context) =>
          (await loadGrantedListing(context, { network, serviceType, grantedMs })) ?? null,
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

const delegateType = builder.objectRef<OnNetwork<Delegate & { walletId: string }>>('Delegate').implement({
  description: 'An address that may spend for a wallet.',
  fields: (t) => ({
    address: t.exposeString('address', { description: 'The address.' }),
    addedMs: t.expose('addedMs', { type: 'Milliseconds', description: 'Time when the owner added it.' }),
    expiresMs: t.expose('expiresMs', nullableTime('From this time on it may not spend. Null: no expiry.')),
    services: t.expose('services', {
      type: [allowanceType],
      description: 'Budgets by service, at most 200.',
    }),
    coins: t.expose('coins', { type: [allowanceType], description: 'Budgets by coin, at most 200.' }),
    truncated: t.exposeBoolean('truncated', {
      description:
        'True if budgets are missing here because there are more than 200 for services or for coins.',
    }),
    walletId: t.exposeString('walletId', { description: 'The wallet that it may spend for.' }),
    wallet: t.field(walletField),
    agent: t.field(
      reference(
        agentNode,
        'address',
        'The address as an agent. Null if it is not listed in the agent registry.',
      ),
    ),
  }),
});

const spendType = builder.objectRef<OnNetwork<PolicySpend>>('PolicySpend').implement({
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
    auth: t.exposeString('auth', nullable('Auth rule that authorized it.')),
    into: t.exposeBoolean('into', {
      nullable: true,
      description: 'The coin was returned to the transaction, so the recipient was not checked.',
    }),
    capId: t.exposeString('capId', nullable('Cap that was used. Null without one.')),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds', description: 'Time of the checkpoint.' }),
    checkpoint: t.expose('checkpoint', { type: 'Count', description: 'Checkpoint of the event.' }),
    cap: t.field(reference(capNode, 'capId', 'Cap that was used. Null without one.')),
    event: t.field(buildEventField('wallet')),
  }),
});

export const delegateConnection = builder.connectionObject({
  type: delegateType,
  name: 'DelegateConnection',
});
const spendConnection = builder.connectionObject({ type: spendType, name: 'PolicySpendConnection' });
const allowlistConnection = builder.connectionObject({ type: allowlistNode, name: 'AllowlistConnection' });

const grants = createPageLoader(grantList);
const withWalletId = (delegate: Delegate, { walletId, ...key }: WalletKey) =>
  withNetwork({ ...delegate, walletId }, key);
const loadDelegates = createConnectionLoader(bareDelegateList, withWalletId, {
  list: delegateList,
  isRequired: ({ budgets }) => budgets === true,
});
const loadCaps = createConnectionLoader(capList, withNetwork);
const loadOwnerCaps = createConnectionLoader(ownerCapList, withNetwork);
const loadSpends = createConnectionLoader(spendList, withNetwork);
const loadActions = createConnectionLoader(walletActionList, withNetwork);
const loadAllowlists = createConnectionLoader(walletAllowlistList, withNetwork);
const loadJobs = createConnectionLoader(jobList, withNetwork);
const loadWallets = createConnectionLoader(ownedWalletList, withNetwork);

const toKey = ({ network, walletId }: WalletKey): WalletKey => ({ network, walletId });

const keys = {
  grants: (wallet: WalletKey) => ({ ...toKey(wallet), first: grantsMax }),
  page: (wallet: WalletKey, args: PagingArgs) => ({ ...toKey(wallet), ...readPaging(args) }),
  delegates(wallet: WalletKey, args: PagingArgs, info: Selecting) {
    const selected = listSelectedFields(info, ['edges', 'node']);
    const budgets = ['services', 'coins', 'truncated'].some((name) => selected.has(name));
    return { ...toKey(wallet), ...readPaging(args), budgets };
  },
};

/** Placeholder for each wallet of a page. The statement of the page supplies their ids. */
const anyWallet = {} as WalletKey;

/** Lists that are read together with a page of wallets. */
const belowWallets = {
  grants: () => describeNestedList(grants, keys.grants(anyWallet)),
  delegates: (args: PagingArgs, info: Selecting) =>
    describeNestedList(loadDelegates.pages, keys.delegates(anyWallet, args, info)),
  caps: (args: PagingArgs) => describeNestedList(loadCaps.pages, keys.page(anyWallet, args)),
  ownerCaps: (args: PagingArgs) => describeNestedList(loadOwnerCaps.pages, keys.page(anyWallet, args)),
  allowlists: (args: PagingArgs) => describeNestedList(loadAllowlists.pages, keys.page(anyWallet, args)),
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
        const toGrants = ({ items }: Pick<Page<Grant>, 'items'>) =>
          items.map((grant) => withNetwork({ ...grant, walletId: wallet.walletId }, wallet));
        const nested = grants.findNestedPage(wallet);
        if (nested) return toGrants(nested);
        return grants.read(context, keys.grants(wallet)).then((page) => toGrants(page!));
      },
    }),
    policy: t.field(
      reference(policyNode, 'walletId', 'Policy of the wallet for its caps. Null if it has none.'),
    ),
    delegates: t.field({
      ...buildListOptions(
        'delegates',
        delegateConnection,
        'Addresses that may spend, in the order they were added.',
      ),
      resolve: (wallet, args, context, info) =>
        loadDelegates.connect(wallet, context, keys.delegates(wallet, args, info)),
    }),
    caps: t.field({
      ...buildListOptions('caps', capConnection, 'All caps ever minted, newest first.'),
      resolve: (wallet, args, context) => loadCaps.connect(wallet, context, keys.page(wallet, args)),
    }),
    ownerCaps: t.field({
      ...buildListOptions(
        'owner caps',
        capConnection,
        'Caps that its owner minted, newest first. The caps that holders split off do not displace them.',
      ),
      resolve: (wallet, args, context) => loadOwnerCaps.connect(wallet, context, keys.page(wallet, args)),
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
        loadActions(context, {
          ...toKey(wallet),
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
        loadSpends(context, {
          ...toKey(wallet),
          checkpoints: readRange(checkpoint, 'checkpoint'),
          ...readPaging(args),
        }),
    }),
    allowlists: t.field({
      ...buildListOptions(
        'allowlists',
        allowlistConnection,
        'Its allowlists of recipients, also retired ones, newest first.',
      ),
      resolve: (wallet, args, context) => loadAllowlists.connect(wallet, context, keys.page(wallet, args)),
    }),
    jobs: t.field({
      ...buildListOptions('jobs', jobConnection, 'Jobs that were created for the wallet, newest first.'),
      resolve: ({ network, walletId: address }, args, context) =>
        loadJobs(context, { network, walletId: address, ...readPaging(args) }),
    }),
    events: t.field(
      buildEventsField(
        'wallet',
        'Events of the wallet, its delegates, caps and policy',
        ({ walletId }: { walletId: string }) => walletId,
      ),
    ),
  }),
});

builder.queryFields((t) => ({
  wallet: t.field({
    type: walletNode,
    nullable: true,
    extensions: { statement: 'wallet' },
    description: 'One wallet. Null if the index does not know it.',
    args: { ...chainArgs, walletId: t.arg.string({ required: true, description: 'Id of the wallet.' }) },
    resolve: (_, args, context) =>
      nodeId(chooseNetwork(args, context, 'wallet'), parseAddress(args.walletId, 'walletId')),
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
      const network = chooseNetwork(args, context, 'wallet');
      const key = { network, owner: parseAddress(args.owner, 'owner'), ...readPaging(args) };
      return await loadWallets(context, key, findListsBelow('Wallet', ['edges', 'node'], belowWallets, info));
    },
  }),
}));
