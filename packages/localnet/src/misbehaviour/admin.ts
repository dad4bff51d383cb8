import express, { type NextFunction, type Request, type Response, Router } from 'express';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { messageOf } from '../internal/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Misbehaviour } from './misbehaviour.ts';
import { MisbehaviourPatchSchema } from './schema.ts';

/**
 * `GET /admin/misbehave` answers what is out of order, `POST` changes it (see `MisbehaviourSchema`), `DELETE`
 * puts everything in order. `POST /admin/snapshots/{name}` stores the state, `POST /admin/snapshots/{name}/restore`
 * goes back to it, `POST /admin/reset` begins another chain. Only for this machine unless `isOpen`, and never for web pages, which the rest of
 * this port is open to.
 */
export function adminRouter(
  ledger: Pick<Ledger, 'snapshot' | 'restore' | 'reset' | 'chainId'>,
  misbehaviour: Misbehaviour,
  isOpen: boolean,
): Router {
  const router = Router();
  router.use('/admin', (request: Request, response: Response, next: NextFunction) => {
    response.removeHeader('access-control-allow-origin');
    if (request.headers.origin !== undefined)
      refuse(response, 403, 'requests from web pages are not allowed');
    else if (!isOpen && !isLoopback(request.socket.remoteAddress)) {
      refuse(response, 403, 'requests from other machines are not allowed without --admin-from-anywhere');
    } else next();
  });
  const answer = (response: Response) => response.json(misbehaviour.settings);
  router.get('/admin/misbehave', (_request, response) => {
    answer(response);
  });
  router.delete('/admin/misbehave', (_request, response) => {
    misbehaviour.reset();
    answer(response);
  });
  router.post('/admin/misbehave', express.json({ limit: '16kb', type: () => true }), (request, response) => {
    const patch = MisbehaviourPatchSchema.safeParse(request.body);
    if (!patch.success) {
      refuse(response, 400, z.prettifyError(patch.error));
      return;
    }
    try {
      misbehaviour.set(patch.data);
      answer(response);
    } catch (error) {
      refuse(response, 500, messageOf(error));
    }
  });
  const change = (work: (name: string) => void) => (request: Request, response: Response) => {
    try {
      work(String(request.params.name));
      response.json({ chainId: ledger.chainId });
    } catch (error) {
      refuse(response, 400, messageOf(error));
    }
  };
  router.post(
    '/admin/snapshots/:name',
    change((name) => ledger.snapshot(name)),
  );
  router.post(
    '/admin/snapshots/:name/restore',
    change((name) => ledger.restore(name)),
  );
  router.post(
    '/admin/reset',
    change(() => ledger.reset()),
  );
  return router;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && ipaddr.process(address).range() === 'loopback';
}

function refuse(response: Response, status: number, error: string): void {
  response.status(status).json({ error });
}
