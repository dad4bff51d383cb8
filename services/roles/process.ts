import { join } from 'node:path';
import type { Bind, Port } from '@adaptor-marketplace/process';
import type { Registry } from '@prometheus-io/client';
import type { Config } from '../../lib/config/index.ts';
import { problem } from '../../lib/errors/index.ts';
import { resolveRequestId, sendProblem } from '../../lib/http/exchange.ts';
import { type HttpServer, listen } from '../../lib/http/serve.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Phases } from '../../lib/log/phases.ts';
import { bindPort, type OpenPortOptions } from '../../lib/ports/open-port.ts';
import type { Role } from './roles.ts';

/** Context of every role: settings, log, phases of the start, metrics, and the stack of what is closed at the end. */
export interface Process {
  config: Config;
  log: Logger;
  phases: Phases;
  metrics: Registry;
  closing: AsyncDisposableStack;
  /** Notices for the operator, printed with the urls; removed once they are printed. */
  notices: Set<string>;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  stop: AbortSignal;
}

/** Finds the port of a server of this process, by its setting and what the data folder remembers. */
export function bindProcessPort(
  name: keyof Config['ports'],
  first: OpenPortOptions['first'],
  { config, notices }: Pick<Process, 'config' | 'notices'>,
): Bind {
  const choice = config.ports[name];
  const file = join(config.dataDir, 'ports', choice.setting);
  return bindPort({ choice, file, first, notify: (notice) => notices.add(notice) });
}

/** Server in place of the gateway of this process, while the gateway waits for its prerequisites. */
export interface WaitingRoom {
  /** Opens the server, once, on the gateway's port. Resolves to its url, or to undefined without a gateway here. */
  open(): Promise<string | undefined>;
  close(): Promise<void>;
}

export function createWaitingRoom(chosen: readonly Role[], context: Process): WaitingRoom {
  let opened: Promise<HttpServer> | undefined;
  return {
    async open() {
      if (!chosen.includes('gateway')) return undefined;
      opened ??= openWaitingRoom(context.config.host, bindProcessPort('http', 'default', context));
      return (await opened).url;
    },
    async close() {
      const room = await opened?.catch(() => undefined);
      opened = undefined;
      await room?.close();
    },
  };
}

/**
 * Starts the server for a gateway that waits for its database. It returns 200 for `/healthz` and 503 for everything
 * else, so that an orchestrator does not restart it and a load balancer sends it no requests.
 */
function openWaitingRoom(host: string, port: Port): Promise<HttpServer> {
  return listen(host, port, (req, res) => {
    const requestId = resolveRequestId(req);
    res.setHeader('x-request-id', requestId);
    if (req.url !== '/healthz') return sendProblem({ req, res, requestId }, starting);
    res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    res.end(req.method === 'HEAD' ? undefined : JSON.stringify({ status: 'ok' }));
  });
}

const starting = problem(
  'database_unavailable',
  'The service waits for its database or its local network. Try again shortly.',
);

/** Serves the metrics on `METRICS_PORT`, if it is set. The public port serves them to this machine only. */
export async function serveMetrics({ config, log, metrics, closing }: Process): Promise<void> {
  if (config.metricsPort === undefined) return;
  const server = await listenMetrics(config.host, config.metricsPort, metrics);
  closing.defer(() => server.close());
  log.info({ url: `${server.url}/metrics` }, 'the metrics server runs');
}

function listenMetrics(host: string, port: number, metrics: Registry) {
  return listen(host, port, async (req, res) => {
    if (req.url !== '/metrics' || (req.method !== 'GET' && req.method !== 'HEAD')) {
      const [path = ''] = (req.url ?? '').split('?', 1);
      const detail = `Not found: ${req.method} ${path.slice(0, 200)}. Endpoint: GET /metrics.`;
      sendProblem({ req, res, requestId: resolveRequestId(req) }, problem('not_found', detail));
      return;
    }
    const body = await metrics.metrics();
    res.setHeader('content-type', metrics.contentType);
    res.setHeader('cache-control', 'no-store');
    res.end(req.method === 'HEAD' ? undefined : body);
  });
}
