import type { Network } from '@adaptor-marketplace/adaptor';
import {
  cachedPackages,
  type Introspection,
  introspect,
  isSystemPackage,
  nodePackages,
  type PackageSource,
  PackageUnreadableError,
} from '@adaptor-marketplace/adaptor/introspect';
import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import type { z } from 'zod';
import type { NetworkNode } from '../../../lib/chain/nodes.ts';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { nodeProblem, problem } from '../../../lib/errors/index.ts';
import { type Exchange, signalDeparture } from '../../../lib/http/exchange.ts';
import { type Operation, type Route, route } from '../../../lib/http/route.ts';
import { type CachedWork, createCachedWork } from '../concurrency/shared-work.ts';
import type { NetworkChoice } from '../openapi/parts.ts';

type PublishNode = Pick<NetworkNode<NetworkPackages>, 'settings' | 'client' | 'versions'>;

export interface PublishChain extends PublishNode {
  /** Cached without expiry, up to a number of bytes: a published package never changes. */
  packages: PackageSource;
  /** Reads a package's interface. @throws PackageUnreadableError, BytecodeError, ProblemError 503 and 504 */
  introspect(packageId: string, signal: AbortSignal): Promise<Introspection>;
}

const packageBytesMax = 64 * 1024 * 1024;

/** Introspections are mostly computing, so only a few run at once. */
const bounds = { running: 4, waiting: 64, waitMs: 10_000, deadlineMs: 20_000 };

/** Lifetime of cached introspections of framework packages, which keep their id when they are upgraded. */
const systemTtlMs = 60_000;

export function openPublishChain({ settings, client, versions }: PublishNode): PublishChain {
  const packages = cachedPackages(nodePackages(client), packageBytesMax);
  const size = {
    bytesMax: 32 * 1024 * 1024,
    estimateBytes: (introspection: Introspection) => JSON.stringify(introspection).length,
  };
  const cached: CachedWork<Introspection> = createCachedWork({ ...bounds, ...size });
  const cachedForNow: CachedWork<Introspection> = createCachedWork({
    ...bounds,
    ...size,
    ttlMs: systemTtlMs,
  });
  return {
    settings,
    client,
    versions,
    packages,
    introspect(packageId, signal) {
      const introspections = isSystemPackage(packageId) ? cachedForNow : cached;
      const { walletPackageId } = settings;
      return introspections(packageId, signal, (workSignal) =>
        introspect(packages, packageId, { walletPackageId, signal: workSignal }),
      );
    },
  };
}

export interface PublishDependencies {
  publishChains: ReadonlyMap<Network, PublishChain>;
  choose: NetworkChoice;
}

interface PublishRequest<Body> {
  body: Body;
  network: Network;
  chain: PublishChain;
  exchange: Exchange;
  /** Aborts when the caller has left. */
  signal: AbortSignal;
}

interface PublishDefinition<Body extends z.ZodType, Dependencies> {
  path: string;
  body: Body;
  response: z.ZodType;
  operation: Omit<Operation, 'tag' | 'response' | 'conditional'>;
  answer(request: PublishRequest<z.infer<Body>>, dependencies: Dependencies): Promise<unknown>;
}

const bodyBytesMax = 16_384;

const chainCodes = [
  'network_not_configured',
  'package_not_found',
  'package_too_large',
  'unreadable_bytecode',
  'node_unavailable',
  'node_busy',
  'node_timeout',
] as const satisfies Operation['refusals'];

/** A POST route that reads the chain for a publisher. It stores nothing, and its response is for the caller alone. */
export function createPublishRoute<
  Body extends z.ZodType<{ network?: Network | undefined }>,
  Dependencies extends PublishDependencies,
>({ path, body, response, operation, answer }: PublishDefinition<Body, Dependencies>): Route<Dependencies> {
  const { refusals = [], ...words } = operation;
  return route({
    method: 'post',
    path,
    body,
    bodyBytesMax,
    operation: {
      ...words,
      tag: 'publish',
      response: { description: 'As the chain has it.', schema: response },
      refusals: [...chainCodes, ...refusals],
    },
    async handler({ exchange, body }, dependencies: Dependencies) {
      const signal = signalDeparture(exchange);
      const network = dependencies.choose(body.network);
      const chain = dependencies.publishChains.get(network)!;
      const request = { body, network, chain, exchange, signal };
      return await answer(request, dependencies).catch((error: unknown) => {
        throw createChainProblem(error);
      });
    },
  });
}

/** Converts errors about a package or its node to problems. Returns other errors unchanged. */
export function createChainProblem(error: unknown): unknown {
  if (error instanceof PackageUnreadableError) {
    if (error.reason === 'too_large') return problem('package_too_large', error.message);
    if (error.reason !== 'absent') return nodeProblem(error.reason === 'late');
    return problem('package_not_found', `${error.message} Is it on another network?`);
  }
  return error instanceof BytecodeError ? problem('unreadable_bytecode', error.message) : error;
}
