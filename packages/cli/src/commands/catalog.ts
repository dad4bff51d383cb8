import { displayText } from '@adaptor-marketplace/adaptor/names';
import type { CatalogQuery, ListAdaptorsData } from '@adaptor-marketplace/sdk';
import { Option } from 'commander';
import { type CatalogAnswer, type CatalogEntry, catalogAnswer, parseResponse } from '../api.ts';
import { formatTable, type Io } from '../io.ts';
import { formatEntryLine } from '../listing.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  answer,
  countArgument,
  createApiCommand,
  createMarketplaceClient,
  typeArgument,
} from '../options.ts';

/** All orders that the API has. */
const sorts: Record<NonNullable<CatalogQuery['sort']>, true> = {
  rank: true,
  trending: true,
  recent: true,
  usage: true,
  rating: true,
  updated: true,
  name: true,
};

/** All states that the API has. */
const canaryStates: Record<NonNullable<CatalogQuery['canary']>, true> = {
  up: true,
  degraded: true,
  down: true,
  unproven: true,
};

interface Options extends ApiOptions {
  category?: string;
  coin?: string;
  publisher?: string;
  integrator?: string;
  sourceMatches?: boolean;
  canary?: string;
  sort?: string;
  limit?: string;
  cursor?: string;
  all?: boolean;
}

/** `catalog`: lists verified adaptors. */
export function createCatalogCommand(io: Io) {
  const command = createApiCommand(
    'catalog',
    'Lists the verified adaptors of a marketplace, filtered by words and options.',
  )
    .argument('[words]', 'words to search in names, summaries and service types')
    .option('--category <category>', 'only this category')
    .option('--coin <type>', 'only adaptors that use this coin', typeArgument)
    .option('--publisher <address>', 'only listings of this address', addressArgument)
    .option('--integrator <id>', 'only listings attributed to this integrator')
    .option('--source-matches', 'only adaptors that do what their offered source says')
    .addOption(
      new Option('--canary <state>', 'only adaptors whose operations have this state in simulations').choices(
        Object.keys(canaryStates),
      ),
    )
    .addOption(new Option('--sort <order>', 'order of the list').choices(Object.keys(sorts)))
    .option('--limit <count>', 'maximum number of entries', countArgument, '50')
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .option('--all', 'include listings whose publisher is not verified')
    .action(async (words: string | undefined, options: Options) => {
      const { network, category, coin, publisher, integrator, canary, sort, limit, cursor, all } = options;
      const filters = { category, coin, publisher, integrator, canary, sort, limit, cursor };
      const given = {
        q: words,
        network,
        ...filters,
        ...(options.sourceMatches && { sourceMatches: 'true' }),
        ...(all && { include: 'unverified' }),
      };
      const { api } = await createMarketplaceClient(io, options);
      const body = await api.listAdaptors({ query: given as ListAdaptorsData['query'] });
      const catalog = parseResponse(catalogAnswer, body);
      answer(io, options, body, () => formatCatalog(catalog, io.columns));
    });
  return addExamples(
    command,
    'catalog',
    "catalog 'stake sui' --sort rating --limit 5",
    'catalog --publisher 0x4179... --all --json',
  );
}

/** Returns false for an unverified publisher too: anyone can list a service of others, and name a successor. */
const isDeprecated = ({ publisherVerified, manifest }: CatalogEntry): boolean =>
  publisherVerified && manifest.deprecated !== undefined;

function formatCatalog(
  { network, adaptors, nextCursor }: CatalogAnswer,
  columns: number | undefined,
): string[] {
  if (adaptors.length === 0) return [`No adaptor on ${network} matches.`];
  const rows = adaptors.map(({ manifest, usage, reviews, publisherVerified, serviceType }) => [
    `${displayText(manifest.name)}${manifest.deprecated === undefined ? '' : ' (deprecated)'}`,
    displayText(manifest.category),
    String(usage.actions),
    String(usage.uniqueVaults),
    reviews.avg === null ? '-' : `${reviews.avg.toFixed(1)} of 5 (${reviews.count})`,
    publisherVerified ? 'verified' : 'not verified',
    serviceType,
  ]);
  return [
    ...formatTable(
      ['NAME', 'CATEGORY', 'USES', 'WALLETS', 'RATING', 'PUBLISHER', 'SERVICE TYPE'],
      rows,
      columns,
    ),
    ...adaptors.filter(isDeprecated).map(formatEntryLine),
    ...(nextCursor ? [`More: --cursor ${nextCursor}`] : []),
  ];
}
