import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { z } from 'zod';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { followedSources, type SourceName } from '../../../lib/config/sources.ts';
import { type Exchange, splitUrl } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import type { IndexWatch } from '../catalog/watch.ts';
import type { GatewayNetwork } from '../options.ts';
import type { NetworkChoice } from '../request/network.ts';
import { type NeededPackage, requirePackage } from './require-package.ts';

/** What all reads of the wallet, rules, agents and escrow tables share. */
export interface ReadHost {
  db: Queryable;
  networks: readonly GatewayNetwork[];
  choose: NetworkChoice;
  watch: Pick<IndexWatch, 'checkpoint'>;
}

/** One question, with its network found and its packages known to be set. */
export interface Question<Request> {
  request: Request;
  network: Network;
  settings: GatewayNetwork;
  exchange: Exchange;
}

interface ReadOptions<Shape extends z.ZodRawShape> {
  query: z.ZodObject<Shape>;
  /** The packages whose sources the answer is read from. */
  needs: readonly NeededPackage[];
  /** Sources that are read as well, where the host follows them. */
  also?: readonly SourceName[];
  answer(question: Question<z.infer<z.ZodObject<Shape>>>): Promise<unknown>;
}

/** A caller may keep an answer, but asks whether it still holds: the next transaction may change it. */
const cacheControl = 'public, no-cache';

/**
 * A keyless read of one network. Its ETag is a digest of the answer: a wallet's copy then stays good however busy
 * the chain is with others, at the price of one indexed read.
 * @throws ProblemError 400 bad query or network, 503 source not configured
 */
export function read<Shape extends z.ZodRawShape>(
  { choose, networks, watch }: ReadHost,
  { query, needs, also = [], answer }: ReadOptions<Shape>,
) {
  return async (exchange: Exchange): Promise<void> => {
    const request = parseQuery(query, splitUrl(exchange.req.url ?? '').search);
    const network = choose((request as { network?: Network }).network);
    const settings = networks.find((candidate) => candidate.network === network)!;
    for (const name of needs) requirePackage(settings, name);
    // Taken before the read, so that the answer covers at least this checkpoint.
    const followed = followedSources(settings).filter((name) => also.includes(name));
    const checkpoint = watch.checkpoint(network, ...needs.map(sourceOf), ...followed);
    if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
    await sendJson(exchange, await answer({ request, network, settings, exchange }), cacheControl);
  };
}

const sourceOf = (name: NeededPackage): string => name.replace('PackageId', '');
