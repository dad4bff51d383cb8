import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { Histogram } from '@prometheus-io/client';
import {
  draftMsMax,
  internalAgentHeader,
  protocolsRequest,
  transactionDraftRequest,
} from '../../../lib/actions/tools-api.ts';
import { turns } from '../../../lib/chain/node/turns.ts';
import { secretCheck } from '../../../lib/credentials/secret-check.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { networkNotServed } from '../../../lib/http/network-not-served.ts';
import { parseBody } from '../../../lib/http/parse-body.ts';
import { commonProblem, internalError } from '../../../lib/http/problem.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { requestIdOf } from '../../../lib/http/request-id.ts';
import { type Answering, sendProblem } from '../../../lib/http/send.ts';
import { draftTransaction } from '../draft-transaction.ts';
import type { NetworkDependencies, ToolsOptions } from '../options.ts';
import { protocols } from '../protocols.ts';
import { inTime } from './in-time.ts';

const bodyBytesMax = 64 * 1024;
/** Requests under way at once; each asks a node a few things. */
const bounds = { running: 32, waiting: 256, waitMs: 5_000 };

interface Route {
  method: 'GET' | 'POST';
  /** Whether anyone may ask. */
  open?: true;
  /** What to answer with, as JSON. */
  answer(exchange: Answering, search: string): Promise<unknown>;
}

/** Answers the agent service's requests, and no one else's but whether it is alive and ready. */
export function answering(
  networks: ReadonlyMap<Network, NetworkDependencies>,
  { db, internalSecret, log, metrics, now = () => new Date() }: ToolsOptions,
): (req: IncomingMessage, res: ServerResponse) => void {
  const isInternal = secretCheck(internalSecret);
  const inTurn = turns(bounds);
  const seconds = new Histogram({
    name: 'tools_request_duration_seconds',
    help: "Time from the arrival of the agent service's request to the end of its answer.",
    labelNames: ['path', 'status'],
    registers: [metrics],
  });
  const hostOf = (network: Network) => {
    const host = networks.get(network);
    if (host) return host;
    throw networkNotServed('The tool service', network, [...networks.keys()]);
  };
  const routes: Record<string, Route> = {
    '/healthz': { method: 'GET', open: true, answer: async () => ({ status: 'ok' }) },
    '/readyz': {
      method: 'GET',
      open: true,
      async answer() {
        await db.pool.query('select 1').catch(() => {
          throw notReady();
        });
        return { status: 'ready' };
      },
    },
    '/protocols': {
      method: 'GET',
      answer: (_, search) => {
        const host = hostOf(parseQuery(protocolsRequest, search).network);
        return inTurn(() => protocols(host));
      },
    },
    '/draft': {
      method: 'POST',
      async answer(exchange) {
        const body = await parseBody(exchange, transactionDraftRequest, bodyBytesMax);
        const host = hostOf(body.request.network);
        const drafting = inTurn(() => draftTransaction(host, body, now().getTime()));
        return inTime(drafting, AbortSignal.timeout(draftMsMax));
      },
    },
  };

  async function answer(exchange: Answering, path: string, search: string): Promise<void> {
    const { req, res } = exchange;
    try {
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      const secret = String(req.headers[internalAgentHeader] ?? '');
      if (!route?.open && !isInternal(secret)) throw unauthorized();
      if (!route) throw notFound(path);
      if (req.method !== route.method) throw wrongMethod(route.method);
      const body = JSON.stringify(await route.answer(exchange, search));
      res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      res.end(body);
    } catch (error) {
      const problem = commonProblem(error) ?? internalError;
      if (problem === internalError)
        log.error({ err: error, requestId: exchange.requestId, path }, 'a request failed');
      sendProblem(exchange, problem);
    }
  }

  return (req, res) => {
    const requestId = requestIdOf(req);
    res.setHeader('x-request-id', requestId);
    const [path = '', search = ''] = (req.url ?? '').split('?', 2);
    const stop = seconds.startTimer();
    res.once('close', () => {
      const status = res.statusCode;
      const took = stop({ path: Object.hasOwn(routes, path) ? path : 'unmatched', status });
      log.debug({ requestId, path: path.slice(0, 100), status, ms: Math.round(took * 1_000) }, 'request');
    });
    void answer({ req, res, requestId }, path, search);
  };
}

function notReady(): ProblemError {
  const detail = 'The database does not answer, so nothing can be drafted.';
  return new ProblemError({ status: 503, code: 'not_ready', title: 'Not ready', detail });
}

function unauthorized(): ProblemError {
  const detail = `Only the agent service may ask: send its secret as ${internalAgentHeader}.`;
  return new ProblemError({ status: 401, code: 'unauthorized', title: 'Unauthorized', detail });
}

function notFound(path: string): ProblemError {
  const detail = `There is nothing at ${path.slice(0, 200)}. Endpoints: GET /protocols, POST /draft.`;
  return new ProblemError({ status: 404, code: 'not_found', title: 'Not found', detail });
}

function wrongMethod(allow: string): ProblemError {
  const detail = `Only ${allow} is allowed here.`;
  const headers = { allow };
  return new ProblemError({
    ...{ status: 405, code: 'method_not_allowed', title: 'Method not allowed', detail, headers },
  });
}
