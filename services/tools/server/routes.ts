import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import {
  draftMsMax,
  internalAgentHeader,
  protocolsRequest,
  transactionDraftRequest,
} from '../../../lib/actions/tools-api.ts';
import type { turns } from '../../../lib/chain/turns.ts';
import { secretCheck } from '../../../lib/credentials/token.ts';
import { nodeProblem, type ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Step, sendJson, splitUrl } from '../../../lib/http/exchange.ts';
import { networkNotServed } from '../../../lib/http/problem.ts';
import { type Route, route } from '../../../lib/http/route.ts';
import { draftTransaction } from '../draft-transaction.ts';
import type { NetworkDependencies } from '../options.ts';
import { protocols } from '../protocols.ts';

interface ToolsDependencies {
  db: Pool;
  networks: ReadonlyMap<Network, NetworkDependencies>;
  /** Bounds how many requests are under way at once. */
  inTurn: ReturnType<typeof turns>;
  now: () => Date;
}

const getHealth = route({
  method: 'get',
  path: '/healthz',
  handler: ({ exchange }) => sendJson(exchange, { status: 'ok' }),
});

const getReadiness = route({
  method: 'get',
  path: '/readyz',
  async handler({ exchange }, { db }: ToolsDependencies) {
    await db.query('select 1').catch(() => {
      throw notReady();
    });
    await sendJson(exchange, { status: 'ready' });
  },
});

const listProtocols = route({
  method: 'get',
  path: '/protocols',
  query: protocolsRequest,
  async handler({ exchange, query }, { networks, inTurn }: ToolsDependencies) {
    const network = requireNetwork(networks, query.network);
    await sendJson(exchange, await inTurn(() => protocols(network)));
  },
});

const postDraft = route({
  method: 'post',
  path: '/draft',
  body: transactionDraftRequest,
  bodyBytesMax: 64 * 1024,
  async handler({ exchange, body }, { networks, inTurn, now }: ToolsDependencies) {
    const network = requireNetwork(networks, body.request.network);
    const drafting = inTurn(() => draftTransaction(network, body, now().getTime()));
    await sendJson(exchange, await inTime(drafting, AbortSignal.timeout(draftMsMax)));
  },
});

/** Probes reach these without the secret of the agent service. */
const openRoutes = [getHealth, getReadiness];

export const routes: readonly Route<ToolsDependencies>[] = [...openRoutes, listProtocols, postDraft];

/** Refuses every request that is not the agent service's, but for the probes: also where there is no such path. */
export function requireAgentService(internalSecret: string): Step {
  const isInternal = secretCheck(internalSecret);
  const open = new Set(openRoutes.map(({ path }) => path));
  return ({ req }) => {
    const { path } = splitUrl(req.url ?? '');
    if (!open.has(path) && !isInternal(String(req.headers[internalAgentHeader] ?? ''))) throw unauthorized();
    return false;
  };
}

function requireNetwork(
  networks: ReadonlyMap<Network, NetworkDependencies>,
  requested: Network,
): NetworkDependencies {
  const network = networks.get(requested);
  if (network) return network;
  throw networkNotServed('The tool service', requested, [...networks.keys()]);
}

/**
 * What `work` comes to, where it does before the signal aborts. Late work is left to end by its own bounds.
 * @throws ProblemError 504: what takes long is the node
 */
export function inTime<T>(work: Promise<T>, late: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  late.addEventListener('abort', () => reject(nodeProblem(true)), { once: true });
  work.then(resolve, reject);
  return promise;
}

function notReady(): ProblemError {
  const detail = 'The database does not answer, so nothing can be drafted.';
  return problem('not_ready', detail);
}

function unauthorized(): ProblemError {
  const detail = `Only the agent service may use this service. Send its secret as ${internalAgentHeader}.`;
  return problem('unauthorized', detail);
}
