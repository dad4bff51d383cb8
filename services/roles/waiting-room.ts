import type { Port } from '@adaptor-marketplace/localnet/internal/listen-on';
import { problem } from '../../lib/errors/index.ts';
import { type HttpServer, listen } from '../../lib/http/listen.ts';
import { requestIdOf } from '../../lib/http/request-id.ts';
import { sendProblem } from '../../lib/http/send.ts';
import { portOf } from './ports.ts';
import type { Process, Role } from './process.ts';

/** Stands for this process's gateway while what it needs is waited for. */
export interface WaitingRoom {
  /**
   * Opens it, once, on the gateway's port, and answers its url; undefined where this process has no gateway.
   * Rejects where the port cannot be had.
   */
  open(): Promise<string | undefined>;
  close(): Promise<void>;
}

export function waitingRoom(wanted: readonly Role[], context: Process): WaitingRoom {
  let opened: Promise<HttpServer> | undefined;
  return {
    async open() {
      if (!wanted.includes('gateway')) return undefined;
      opened ??= openWaitingRoom(context.config.host, portOf('http', 'default', context));
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
 * Stands for a gateway that cannot start before its database is there: alive (`/healthz`), and 503 for all else, so
 * that a load balancer does not send it requests and an orchestrator does not restart it.
 */
function openWaitingRoom(host: string, port: Port): Promise<HttpServer> {
  return listen(host, port, (req, res) => {
    const requestId = requestIdOf(req);
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
