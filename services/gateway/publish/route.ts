import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { z } from 'zod';
import { parseBody } from '../../../lib/http/body.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import { callerGone } from './caller-gone.ts';
import type { PublishChain, PublishHost } from './host.ts';
import { chainProblem } from './problem.ts';

/** One request of a publish helper, its network found. */
export interface PublishQuestion<Request> {
  request: Request;
  network: Network;
  chain: PublishChain;
  exchange: Exchange;
  /** Aborts when the caller has left. */
  signal: AbortSignal;
}

interface PublishOptions<Schema extends z.ZodType> {
  body: Schema;
  answer(question: PublishQuestion<z.infer<Schema>>): Promise<unknown>;
}

/** None of the helpers takes more. */
const bodyBytesMax = 16_384;

/**
 * A POST that reads the chain for whoever publishes. It changes nothing here, and its answer is the caller's own.
 * @throws ProblemError 400 bad body, 422 the chain says no, 502, 503 and 504 as the node does
 */
export function publishRoute<Schema extends z.ZodType<{ network?: Network | undefined }>>(
  { chains, choose }: PublishHost,
  { body, answer }: PublishOptions<Schema>,
) {
  return async (exchange: Exchange): Promise<void> => {
    const signal = callerGone(exchange);
    const request = await parseBody(exchange, body, bodyBytesMax);
    const network = choose(request.network);
    const chain = chains.get(network)!;
    const answered = await answer({ request, network, chain, exchange, signal }).catch((error: unknown) => {
      throw chainProblem(error);
    });
    await sendJson(exchange, answered, 'no-store');
  };
}
