import type { Network } from '@adaptor-marketplace/adaptor';
import { type FilterValue, type FilterValues, filterValuesMax } from '../db/queries/catalog/filter-values.ts';
import { chainArgs, chooseNetwork } from './arguments.ts';
import { builder } from './builder.ts';
import { namedCoinInfo } from './coins.ts';

const countDescription = 'Number of entries with the value.';

const filterValueType = builder.objectRef<FilterValue>('FilterValue').implement({
  description: 'A value of a filter of the catalog.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The value, as the filter takes it.' }),
    count: t.exposeInt('count', { description: countDescription }),
  }),
});

const coinFilterValueType = builder
  .objectRef<FilterValue & { network: Network }>('CoinFilterValue')
  .implement({
    description: 'A coin that adaptors of the catalog name.',
    fields: (t) => ({
      coinType: t.exposeString('value', { description: 'Type of the coin, as the filter takes it.' }),
      coinInfo: t.field(namedCoinInfo(({ network, value }) => ({ network, coinType: value }))),
      count: t.exposeInt('count', { description: countDescription }),
    }),
  });

interface CatalogFilters extends FilterValues {
  network: Network;
}

const catalogFiltersType = builder.objectRef<CatalogFilters>('CatalogFilters').implement({
  description:
    'Values of the filters of the catalog among the entries that it shows by default: for each filter the ' +
    `${filterValuesMax} values of most entries, the most frequent ones first.`,
  fields: (t) => ({
    categories: t.expose('categories', { type: [filterValueType], description: 'Values of `category`.' }),
    coins: t.field({
      type: [coinFilterValueType],
      description: 'Values of `coin`. An adaptor that takes any coin is not counted.',
      resolve: ({ coins, network }) => coins.map((coin) => ({ ...coin, network })),
    }),
    integrators: t.expose('integrators', { type: [filterValueType], description: 'Values of `integrator`.' }),
  }),
});

builder.queryFields((t) => ({
  catalogFilters: t.field({
    type: catalogFiltersType,
    description: 'The filters of the catalog with their values, for a list to choose from.',
    extensions: { statement: 'each' },
    args: chainArgs,
    async resolve(_, args, context) {
      const network = chooseNetwork(args, context);
      return { network, ...(await context.readFilterValues(context.db, network)) };
    },
  }),
}));
