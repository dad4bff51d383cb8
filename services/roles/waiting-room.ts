import { type HttpServer, listen } from '../../lib/http/listen.ts';
import { databaseUnavailable } from '../../lib/http/problem.ts';
import { requestIdOf } from '../../lib/http/request-id.ts';
import { sendProblem } from '../../lib/http/send.ts';
import type { Port } from '../../lib/ports/listen-on.ts';

/**
 * Stands for a gateway that cannot start before its database is there: alive (`/healthz`), and 503 for all else, so
 * that a load balancer does not send it requests and an orchestrator does not restart it.
 */
export function openWaitingRoom(host: string, port: Port): Promise<HttpServer> {
  return listen(host, port, (req, res) => {
    const requestId = requestIdOf(req);
    res.setHeader('x-request-id', requestId);
    if (req.url !== '/healthz') return sendProblem({ req, res, requestId }, databaseUnavailable);
    res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    res.end(req.method === 'HEAD' ? undefined : JSON.stringify({ status: 'ok' }));
  });
}
