import { once } from 'node:events';
import { createServer } from 'node:http';
import { formatHost, listenOn, type Port } from '@adaptor-marketplace/process';
import { normalizeSuiAddress } from '@mysten/sui/utils';
import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { messageOf } from '../internal/errors.ts';
import type { Logger } from '../internal/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Faucet, type SentCoin } from './faucet.ts';

interface FaucetServer {
  url: string;
  close(): Promise<void>;
}

const GasRequest = z.object({
  FixedAmountRequest: z.object({
    recipient: z
      .string()
      .regex(/^(?:0[xX])?[0-9a-fA-F]{1,64}$/, 'recipient is not an address')
      .transform((address) => normalizeSuiAddress(address)),
  }),
});

/**
 * The public faucets' HTTP: `POST /v2/gas` (what `requestSuiFromFaucetV2` calls) and the older `POST /gas`,
 * both with `{ FixedAmountRequest: { recipient } }`. `GET /` answers when it is up. Open to every origin.
 */
export async function serveFaucet(options: {
  ledger: Ledger;
  host: string;
  port: Port;
  log: Logger;
  /** Serve more paths on the port. */
  routes?: Router[];
}): Promise<FaucetServer> {
  const { ledger, host, port, log, routes } = options;
  const faucet = new Faucet(ledger);
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response, next) => {
    response.set({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' });
    if (request.method === 'OPTIONS') response.status(204).end();
    else next();
  });
  app.get('/', (_request, response) => {
    response.send('OK');
  });

  const answer =
    (succeeded: (coins: SentCoin[]) => object, failed: (reason: string) => object) =>
    async (request: Request, response: Response) => {
      const parsed = GasRequest.safeParse(request.body);
      if (!parsed.success) {
        response.status(400).json(failed(z.prettifyError(parsed.error)));
        return;
      }
      const { recipient } = parsed.data.FixedAmountRequest;
      try {
        response.json(succeeded(await faucet.grant(recipient)));
      } catch (error) {
        log.warn({ err: messageOf(error), recipient }, 'faucet request failed');
        response.status(500).json(failed(messageOf(error)));
      }
    };
  const json = express.json({ limit: '4kb', type: () => true });
  app.post('/v2/gas', json, answer(successV2, failureV2));
  app.post('/gas', json, answer(successV1, failureV1));
  for (const router of routes ?? []) app.use(router);
  app.use(({ path }, response) => {
    const detail = `nothing at ${path.slice(0, 200)}; the faucet has POST /v2/gas and POST /gas`;
    response.status(404).json(failureV2(detail));
  });
  const malformed: ErrorRequestHandler = (error, _request, response, _next) => {
    const status: unknown = error?.status;
    response
      .status(typeof status === 'number' ? status : 500)
      .json(failureV2('the body must be a small JSON'));
  };
  app.use(malformed);

  const server = createServer(app);
  const { address, port: bound } = await listenOn(server, port, host);
  return {
    url: `http://${formatHost(address)}:${bound}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const successV2 = (coins: SentCoin[]) => ({ status: 'Success', coins_sent: coins });
const failureV2 = (internal: string) => ({ status: { Failure: { internal } }, coins_sent: null });
const successV1 = (coins: SentCoin[]) => ({ transferredGasObjects: coins, error: null });
const failureV1 = (error: string) => ({ transferredGasObjects: [], error });
