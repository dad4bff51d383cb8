import type { Response, Router } from 'express';
import type { Pool } from 'pg';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { Worker } from '../run/workers.ts';
import { sendJson } from './exchange.ts';

interface HealthHost {
  db: Pool;
  worker: Worker;
  toolsUrl: string;
}

const toolsMs = 2_000;

/** For machines that watch this process, which reach it without the gateway. */
export function healthRoutes(router: Router, host: HealthHost): void {
  router.get('/healthz', (_req, res) => sendJson(res, { status: 'ok' }));
  router.get('/readyz', (_req, res) => ready(host, res));
}

/** 503 where no run could be taken on: without the database, its worker's connection, or the tool service. */
async function ready({ db, worker, toolsUrl }: HealthHost, res: Response): Promise<void> {
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

function notReady(reason: string): ProblemError {
  const headers = { 'retry-after': '5' };
  return new ProblemError({
    ...{ status: 503, code: 'not_ready', title: 'Not ready', detail: `No actions run: ${reason}.`, headers },
  });
}
