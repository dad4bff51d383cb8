import { Option } from 'commander';
import type { z } from 'zod';
import { catalogAnswer } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { addressArgument, countArgument, typeArgument } from '../arguments.ts';
import type { Io } from '../io.ts';
import { type ApiOptions, answer, apiCommand, apiOf, withExamples } from '../options.ts';
import { table } from '../output/table.ts';

interface Options extends ApiOptions {
  category?: string;
  coin?: string;
  publisher?: string;
  integrator?: string;
  sort?: string;
  limit?: string;
  cursor?: string;
  all?: boolean;
}

/** What is listed, as it stands on chain and was verified. */
export function catalogCommand(io: Io) {
  const command = apiCommand(
    'catalog',
    'The verified adaptors of a marketplace, all of them or those that match.',
  )
    .argument('[words]', 'words of the name, the summary or the service type')
    .option('--category <category>')
    .option('--coin <type>', 'that work with this coin', typeArgument)
    .option('--publisher <address>', 'listed by this address', addressArgument)
    .option('--integrator <id>')
    .addOption(new Option('--sort <order>').choices(['usage', 'rating', 'updated', 'name']))
    .option('--limit <count>', 'most entries; else all', countArgument)
    .option('--cursor <cursor>', 'go on where an answer with --limit ended')
    .option('--all', 'also listings whose publisher is not verified')
    .action(async (words: string | undefined, options: Options) => {
      const { network, category, coin, publisher, integrator, sort, limit, cursor, all } = options;
      const filters = { category, coin, publisher, integrator, sort, limit, cursor };
      const query = { q: words, network, ...filters, include: all ? 'unverified' : undefined };
      const api = await apiOf(io, options);
      const { body } = await api.get('/api/adaptors', query);
      answer(io, options, body, () => linesOf(read(catalogAnswer, body)));
    });
  return withExamples(
    command,
    'catalog',
    "catalog 'stake sui' --sort rating --limit 5",
    'catalog --publisher 0x4179... --all --json',
  );
}

function linesOf({ network, adaptors, nextCursor }: z.infer<typeof catalogAnswer>): string[] {
  if (adaptors.length === 0) return [`No adaptor on ${network} matches.`];
  const rows = adaptors.map(({ manifest, usage, reviews, publisherVerified, serviceType }) => [
    manifest.name,
    manifest.category,
    String(usage.actions),
    String(usage.uniqueVaults),
    reviews.avg === null ? '-' : `${reviews.avg.toFixed(1)} of ${reviews.count}`,
    publisherVerified ? 'verified' : 'not verified',
    serviceType,
  ]);
  return [
    ...table(['NAME', 'CATEGORY', 'USES', 'WALLETS', 'RATING', 'PUBLISHER', 'SERVICE TYPE'], rows),
    ...(nextCursor ? [`More: --cursor ${nextCursor}`] : []),
  ];
}
