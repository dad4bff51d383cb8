import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Ledger } from '../ledger/ledger.ts';
import { LedgerError } from '../ledger/types.ts';
import { ChainView } from '../rpc/convert/chain-view.ts';
import { headers, page } from './frame.ts';
import { html } from './html.ts';
import {
  addressPage,
  checkpointPage,
  find,
  homePage,
  moduleOf,
  objectPage,
  transactionPage,
} from './pages.ts';

/** Pages about the ledger, for people, at `/explorer`. They read; nothing that they show can run. */
export function explorerRouter(ledger: Ledger): Router {
  const view = new ChainView(ledger);
  const router = Router();
  router.use('/explorer', (_request, response, next) => {
    response.removeHeader('access-control-allow-origin');
    response.set(headers);
    next();
  });
  const answer =
    (
      make: (
        params: Record<string, string>,
        query: (name: string) => string | undefined,
      ) => string | undefined,
    ) =>
    ({ params, query }: Request, response: Response) => {
      const text = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined);
      const found = make(params as Record<string, string>, text);
      if (found === undefined) notFound(response);
      else response.send(found);
    };
  router.get(
    '/explorer',
    answer(() => homePage(view)),
  );
  router.get('/explorer/find', (request, response) => {
    const { q } = request.query;
    const path = typeof q === 'string' ? find(view, q.trim()) : undefined;
    if (path === undefined) notFound(response);
    else response.redirect(303, `/explorer/${path}`);
  });
  router.get(
    '/explorer/checkpoints/:id',
    answer(({ id }, query) => {
      const from = Number(query('from') ?? 0);
      return checkpointPage(view, id!, Number.isSafeInteger(from) && from >= 0 ? from : 0);
    }),
  );
  router.get(
    '/explorer/transactions/:id',
    answer(({ id }) => transactionPage(view, id!)),
  );
  router.get(
    '/explorer/objects/:id',
    answer(({ id }, query) => objectPage(view, id!, query('version'))),
  );
  router.get(
    '/explorer/addresses/:id',
    answer(({ id }, query) => addressPage(view, id!, query('after'))),
  );
  router.get(
    '/explorer/packages/:id/:module',
    answer(({ id, module }) => moduleOf(view, id!, module!)),
  );
  router.use('/explorer', (_request, response) => notFound(response));
  router.use('/explorer', (error: unknown, _request: Request, response: Response, next: NextFunction) => {
    if (!(error instanceof LedgerError)) next(error);
    else response.status(400).send(page('Not possible', html`<p>${error.message}</p>`));
  });
  return router;
}

function notFound(response: Response): void {
  const reason = 'The network has nothing under this address. It may have been pruned, or the network reset.';
  response.status(404).send(page('Not found', html`<p>${reason}</p>`));
}
