import type { Network } from '@adaptor-marketplace/adaptor';
import { usage } from '../db/queries/catalog/entry-schema.ts';
import {
  coinsOfDayMax,
  readUsage,
  readUsageCoins,
  readUsageDays,
  type Usage,
  type UsageDay,
} from '../db/queries/usage.ts';
import { serviceGrantList } from '../db/queries/wallets/grants.ts';
import {
  buildListOptions,
  chainArgs,
  chooseNetwork,
  invalidArgument,
  parseIdentity,
  readPaging,
} from './arguments.ts';
import { builder, chainEnum, type GraphContext } from './builder.ts';
import { coinInfo } from './coins.ts';
import { batched, createConnectionLoader } from './connections.ts';
import { actionNode, buildEventField, shownAdaptor, walletField, withNetwork } from './nodes.ts';
import { defineSchemaType } from './schema-fields.ts';
import { grantType } from './wallet.ts';

export const usageType = defineSchemaType('Usage', usage);

interface UsedKey {
  network: string;
  serviceType: string;
}

const loadUsageRow = batched(readUsage);
export const noUsage: Usage = { actions: 0, uniqueVaults: 0, lastActionMs: null };

/** Use of a service, listed or not. */
export const loadUsage = (context: GraphContext, { network, serviceType }: UsedKey): Promise<Usage> =>
  loadUsageRow(context, { network, serviceType });

builder.queryFields((t) => ({
  usage: t.field({
    type: usageType,
    extensions: { statement: 'usage' },
    description: 'Use of a service, which need not be in the catalog.',
    args: {
      ...chainArgs,
      serviceType: t.arg.string({ required: true, description: 'Type of the witness, in any spelling.' }),
    },
    resolve: (_, args, context) =>
      loadUsage(context, {
        network: chooseNetwork(args, context),
        serviceType: parseIdentity({ serviceType: args.serviceType }).serviceType,
      }),
  }),
}));

interface NetworkScoped {
  network: string;
}
const inNetwork = <Item>(items: readonly Item[], network: string) =>
  items.map((item) => ({ ...item, network }));

const coinUsageType = builder.objectRef<UsageDay['coins'][number] & NetworkScoped>('CoinUsage').implement({
  description: 'What a service moved of one coin.',
  fields: (t) => ({
    coin: t.exposeString('coin', { description: 'Coin type.' }),
    actions: t.expose('actions', { type: 'Count', description: 'Actions that moved the coin.' }),
    taken: t.exposeString('taken', { description: 'Left the wallets, in base units.' }),
    brought: t.exposeString('brought', { description: 'Came into the wallets, in base units.' }),
    coinInfo: t.field(coinInfo(({ network, coin: coinType }) => ({ network, coinType }))),
  }),
});

const usageDayType = builder.objectRef<UsageDay & NetworkScoped>('UsageDay').implement({
  description: 'Use of a service on one day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'Date', description: 'The day, in UTC.' }),
    actions: t.expose('actions', { type: 'Count', description: 'Counted actions of the day.' }),
    wallets: t.exposeInt('wallets', { description: 'Distinct wallets of the day.' }),
    coins: t.field({
      type: [coinUsageType],
      description: `What was moved, the coins of most actions first: at most ${coinsOfDayMax}.`,
      complexity: { field: 1, multiplier: coinsOfDayMax },
      resolve: ({ network, coins }) => inNetwork(coins, network),
    }),
  }),
});

const daysMax = 366;
const daysDefault = 30;
export const daysArg = builder.args((t) => ({
  days: t.int({ description: `Days until today: 1 to ${daysMax}. Default: ${daysDefault}.` }),
}));

interface DaysArgs {
  days?: number | null | undefined;
}

/** Days for which an answer can have values. The resolver rejects a number beyond the bounds: it counts as the largest. */
export function countDays({ days }: DaysArgs): number {
  const count = days ?? daysDefault;
  return count >= 1 && count <= daysMax ? count : daysMax;
}

/** @throws ProblemError `invalid_argument` beyond the bounds */
export function readDays({ days }: DaysArgs): number {
  const count = days ?? daysDefault;
  if (count >= 1 && count <= daysMax) return count;
  throw invalidArgument([{ path: 'days', message: `must be 1 to ${daysMax}` }]);
}

const loadDays = batched(readUsageDays);
const loadCoins = batched(readUsageCoins);
const grantConnection = builder.connectionObject({ type: grantType, name: 'ServiceGrantConnection' });
const loadGrants = createConnectionLoader(serviceGrantList, withNetwork);

/** Use belongs to the service type. A listing has it only if its publisher is or was verified. */
interface UsedListing extends UsedKey {
  publisherEverVerified: boolean;
}

/** An object whose use is counted by service: an entry of the catalog, or a listing. */
export const usedInterface = builder.interfaceRef<UsedListing>('Used').implement({
  description:
    'Something that wallets use through a service. Its use belongs to the service: all publishers that are or were verified ' +
    'have it, and the others have none.',
  fields: (t) => ({
    usageByDay: t.field({
      type: [usageDayType],
      description: 'Use of the service by day: the days with use, the oldest first.',
      complexity: (args) => ({ field: 1, multiplier: countDays(args) }),
      extensions: { statement: 'usage by day' },
      args: daysArg,
      async resolve({ network, serviceType, publisherEverVerified }, args, context) {
        const days = readDays(args);
        if (!publisherEverVerified) return [];
        return inNetwork(await loadDays(context, { network, serviceType, days }), network);
      },
    }),
    usageByCoin: t.field({
      type: [coinUsageType],
      description: `Use of the service by coin, those of most actions first: at most ${coinsOfDayMax}.`,
      complexity: { field: 1, multiplier: coinsOfDayMax },
      extensions: { statement: 'usage by coin' },
      args: daysArg,
      async resolve({ network, serviceType, publisherEverVerified }, args, context) {
        const days = readDays(args);
        if (!publisherEverVerified) return [];
        return inNetwork(await loadCoins(context, { network, serviceType, days }), network);
      },
    }),
    grants: t.field({
      ...buildListOptions(
        'grants',
        grantConnection,
        'Grants of wallets to the service now, sorted by wallet and coin.',
      ),
      resolve({ network, serviceType }, args, context) {
        context.requireSource(network as Network, 'wallet');
        return loadGrants(context, { network, serviceType, ...readPaging(args) });
      },
    }),
  }),
});

interface CoinMovement extends NetworkScoped {
  coin: string;
  taken: string;
  brought: string;
}
const movedType = builder.objectRef<CoinMovement>('MovedCoin').implement({
  description: 'What an action moved of one coin.',
  fields: (t) => ({
    coin: t.exposeString('coin', { description: 'Coin type.' }),
    taken: t.exposeString('taken', { description: 'Left the wallet, in base units.' }),
    brought: t.exposeString('brought', { description: 'Came into the wallet, in base units.' }),
    coinInfo: t.field(coinInfo(({ network, coin: coinType }) => ({ network, coinType }))),
  }),
});

actionNode.implement({
  description:
    'A counted use of a service by a wallet: all that one transaction did with the wallet through the service.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the transaction.' }),
    serviceType: t.exposeString('serviceType', { description: 'The service that was used.' }),
    walletId: t.exposeString('walletId', { description: 'The wallet that used it.' }),
    actors: t.exposeStringList('actors', {
      description: 'Who acted: the owner of the wallet then, the sender, and spenders that the events name.',
    }),
    moved: t.field({
      type: [movedType],
      description: 'What it moved, by coin.',
      resolve: ({ network, moved }) => inNetwork(moved, network),
    }),
    timestampMs: t.expose('timestampMs', { type: 'Milliseconds', description: 'Time of the checkpoint.' }),
    checkpoint: t.expose('checkpoint', { type: 'Count', description: 'Checkpoint of the transaction.' }),
    wallet: t.field(walletField),
    event: t.field(buildEventField('wallet', 'The first of its events that counts.')),
    adaptor: t.field(shownAdaptor),
  }),
});
