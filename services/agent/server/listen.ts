import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Router } from 'express';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { answerErrors } from './exchange.ts';

export interface AgentServer {
  url: string;
  /** Stops taking connections and breaks off those that are left: runs do not depend on them. */
  close(): Promise<void>;
}

/** Bounds on what a connection may cost before a route has seen anything of it. Milliseconds and bytes. */
const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 20_000 };

/** Serves the routes over HTTP. */
export async function listenHttp(
  { host, port, log }: { host: string; port: number; log: Logger },
  router: Router,
): Promise<AgentServer> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  // Queries are read strictly by the routes.
  app.set('query parser', false);
  app.use(router);
  app.use(({ path }: Request) => {
    const detail = `There is nothing at ${path.slice(0, 200)} for this method; /docs lists what there is.`;
    throw new ProblemError({ status: 404, code: 'not_found', title: 'Not found', detail });
  });
  app.use(answerErrors(log));
  const server = createServer(limits, app);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
