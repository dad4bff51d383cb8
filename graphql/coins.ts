import { canonicalType } from '@adaptor-marketplace/adaptor';
import { type Coin, readCoins } from '../db/queries/coins.ts';
import type { Queryable } from '../db/queries/queryable.ts';
import { builder, type GraphContext } from './builder.ts';
import { batched } from './connections.ts';

const coinType = builder.objectRef<Coin & { network: string }>('Coin').implement({
  description: 'How amounts of a coin are shown.',
  fields: (t) => ({
    coinType: t.exposeString('coinType', { description: 'Type of the coin: only it says which coin it is.' }),
    symbol: t.exposeString('symbol', {
      description: 'As the maker of the coin chose it. Other coins may have the same.',
    }),
    logo: t.string({
      nullable: true,
      description:
        'Path of its logo on this host: a PNG, JPEG or WebP picture that the maker of the coin chose. Null without one.',
      resolve: ({ network, coinType, hasLogo }) =>
        hasLogo ? `/coins/${network}/${encodeURIComponent(coinType)}/logo` : null,
    }),
    decimals: t.exposeInt('decimals', {
      description: 'One coin has 10 to the power of `decimals` base units: 0 to 255.',
    }),
  }),
});

const loadCoins = batched(async (db: Queryable, keys: readonly { network: string; coinType: string }[]) =>
  (await readCoins(db, keys)).map((coin, at) => coin && { ...coin, network: keys[at]!.network }),
);

/** Defines a field of an object that has an amount of a coin, or of no known coin. */
export const coinInfo = <Item>(getKey: (item: Item) => { network: string; coinType: string | null }) => ({
  type: coinType,
  nullable: true as const,
  description:
    'Symbol and decimals of the coin. Null if it has no metadata, or until it is read from the chain.',
  extensions: { statement: 'coin' },
  resolve(item: Item, _: unknown, context: GraphContext) {
    const { network, coinType } = getKey(item);
    return coinType === null ? null : loadCoins(context, { network, coinType });
  },
});

interface NamedCoin {
  network: string;
  /** Type of the coin, as a manifest spells it. */
  coinType: string;
}

/** Defines the field `coinInfo` of a coin that a manifest names, in the long or the short spelling of its type. */
export const namedCoinInfo = <Item extends object>(getCoin: (item: Item) => NamedCoin) =>
  coinInfo<Item>((item) => {
    const { network, coinType } = getCoin(item);
    return { network, coinType: canonicalType(coinType) ?? coinType };
  });

export const supportedCoinType = builder.objectRef<NamedCoin>('SupportedCoin').implement({
  description: 'A coin that a manifest names.',
  fields: (t) => ({
    coinType: t.exposeString('coinType', { description: 'Type of the coin, as the manifest spells it.' }),
    coinInfo: t.field(namedCoinInfo((coin) => coin)),
  }),
});
