import type { Network } from '@adaptor-marketplace/adaptor';
import type { z } from 'zod';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { ReadPools } from '../../../db/replicas/read-pools.ts';
import { listFollowedSources, type NetworkPackages, type SourceName } from '../../../lib/config/networks.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Operation, type Route, route } from '../../../lib/http/route.ts';
import type { IndexWatch } from '../live/watch.ts';
import { indexedHeader, type NetworkChoice } from '../openapi/parts.ts';

export interface ReadDependencies {
  reads: ReadPools;
  networks: readonly NetworkPackages[];
  choose: NetworkChoice;
  watch: Pick<IndexWatch, 'checkpoint'>;
}

/** One request, with its network chosen. The packages that the read needs are configured there. */
export interface ReadRequest<Query> {
  query: Query;
  network: Network;
  settings: NetworkPackages;
  exchange: Exchange;
  /** Database for the reads of the request. */
  db: Queryable;
}

interface ReadDefinition<Query extends z.ZodObject, Dependencies> {
  path: string;
  query: Query;
  /** The packages whose sources the response is read from. */
  needs: readonly RequiredPackage[];
  /** Sources that are read too, if the service indexes them. */
  also?: readonly SourceName[];
  body: z.ZodType;
  operation: Omit<Operation, 'tag' | 'conditional' | 'response'> & {
    /** Response headers beyond those that all reads have. */
    headers?: z.ZodRawShape;
  };
  answer(request: ReadRequest<z.infer<Query>>, dependencies: Dependencies): Promise<unknown>;
}

/** A caller may store a response, but must revalidate it: the next transaction may change it. */
const cacheControl = 'public, no-cache';

/**
 * A route that reads one network and needs no key. Its ETag is a digest of the response, so that a client's copy of a
 * wallet stays valid however many transactions of others the chain has. Each request costs one indexed read.
 * @throws ProblemError 400 bad query or network, 503 source not configured
 */
export function createReadRoute<Query extends z.ZodObject, Dependencies extends ReadDependencies>(
  definition: ReadDefinition<Query, Dependencies>,
): Route<Dependencies> {
  const { path, query, needs, also = [], body, operation, answer } = definition;
  const { headers, refusals = [], ...words } = operation;
  return route({
    method: 'get',
    path,
    query,
    cacheControl,
    operation: {
      ...words,
      tag: 'agents',
      response: {
        description: 'As the index has it.',
        schema: body,
        headers: { ...indexedHeader, ...headers },
      },
      conditional: true,
      refusals: ['network_not_configured', 'not_configured', 'database_unavailable', ...refusals],
    },
    async handler({ exchange, query }, dependencies: Dependencies) {
      const { choose, networks, watch, reads } = dependencies;
      const network = choose((query as { network?: Network }).network);
      const settings = networks.find((candidate) => candidate.network === network)!;
      for (const name of needs) requirePackage(settings, name);
      // Taken before the read, so that the response covers at least this checkpoint.
      const followed = listFollowedSources(settings).filter((name) => also.includes(name));
      const checkpoint = watch.checkpoint(network, ...needs.map(toSourceName), ...followed);
      if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
      return await answer({ query, network, settings, exchange, db: reads.begin() }, dependencies);
    },
  });
}

const settingNames = {
  walletPackageId: 'WALLET_PACKAGE_ID',
  rulesPackageId: 'RULES_PACKAGE_ID',
  agentsPackageId: 'AGENTS_PACKAGE_ID',
  escrowPackageId: 'ESCROW_PACKAGE_ID',
} as const;

type RequiredPackage = keyof typeof settingNames;

/** @throws ProblemError 503 with the name of the setting, if the service does not index the package */
export function requirePackage(settings: NetworkPackages, name: RequiredPackage): string {
  const packageId = settings[name];
  if (packageId !== undefined) return packageId;
  const setting = `${settings.network.toUpperCase()}_${settingNames[name]}`;
  throw problem(
    'not_configured',
    `This service does not index what this operation reads: ${setting} is not set.`,
  );
}

const toSourceName = (name: RequiredPackage): string => name.replace('PackageId', '');
