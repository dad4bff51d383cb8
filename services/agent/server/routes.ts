import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import { problem } from '../../../lib/errors/index.ts';
import { type Method, methods, type Route } from '../../../lib/http/route.ts';

/** Answers a request that the router matched; `req` and `res` are express's, with which it matches. */
type Handler = (req: Request, res: Response) => Promise<void>;

/** Collects routes: method, path and handler. The gateway has the same routes with their descriptions. */
export type RouteList = { routes: Route<unknown>[] } & {
  [Name in Method]: (path: string, handler: Handler, mediaType?: string) => void;
};

export function routeList(): RouteList {
  const routes: Route<unknown>[] = [];
  const adding = methods.map((method) => {
    const add = (path: string, handler: Handler, mediaType = 'application/json') => {
      const answer: Route<unknown>['answer'] = ({ req, res }) => handler(req as Request, res as Response);
      routes.push({ method, path, mediaType, answer });
    };
    return [method, add] as const;
  });
  return { routes, ...(Object.fromEntries(adding) as Omit<RouteList, 'routes'>) };
}

/** Sends JSON that no cache may store: it is for one caller and of this moment. */
export function sendJson(res: Response, value: unknown): void {
  res.setHeader('cache-control', 'no-store');
  res.json(value);
}

interface HealthDependencies {
  db: Pool;
  /** Throws where the worker has no connection. */
  worker: { id(): unknown };
  toolsUrl: string;
}

const toolsMs = 2_000;

/** For machines that watch this process, which reach it without the gateway. */
export function healthRoutes(router: RouteList, dependencies: HealthDependencies): void {
  router.get('/healthz', async (_req, res) => sendJson(res, { status: 'ok' }));
  router.get('/readyz', (_req, res) => sendReadiness(dependencies, res));
}

/** 503 where no run could start: without the database, its worker's connection, or the tool service. */
async function sendReadiness({ db, worker, toolsUrl }: HealthDependencies, res: Response): Promise<void> {
  worker.id();
  await db.query('select 1').catch(() => {
    throw notReady('the database does not answer');
  });
  const signal = AbortSignal.timeout(toolsMs);
  const tools = await fetch(`${toolsUrl}/readyz`, { redirect: 'error', signal }).catch(() => undefined);
  await tools?.body?.cancel();
  if (!tools?.ok) throw notReady('the tool service is not ready');
  sendJson(res, { status: 'ready' });
}

const notReady = (reason: string) => problem('not_ready', `No actions run: ${reason}.`);
