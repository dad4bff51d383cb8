import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import { type FindCaller, unauthorized } from '../access/caller.ts';

export interface AdminHost {
  db: Pool;
  findCaller: FindCaller;
  now: () => Date;
}

export type Handler<Host = AdminHost> = (host: Host, req: Request, res: Response) => Promise<void>;

/** Handles a request of the operator's, who proves it by the admin secret. */
export function asAdmin<Host extends Pick<AdminHost, 'findCaller'>>(
  host: Host,
  handle: Handler<Host>,
): RequestHandler {
  return async (req, res) => {
    const { kind } = await host.findCaller(req);
    if (kind !== 'admin') {
      throw unauthorized(
        'unauthorized',
        "This path needs the host's admin secret (authorization: Bearer <secret>).",
      );
    }
    await handle(host, req, res);
  };
}
