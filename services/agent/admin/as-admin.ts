import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import { ProblemError } from '../../../lib/errors/index.ts';
import type { ProblemCode } from '../../../lib/errors/problems.ts';
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
    const { kind } = await host.findCaller(req).catch((error: unknown) => {
      // Its words name the credentials of other paths, none of which is good for this one.
      throw error instanceof ProblemError && error.status === 401 ? needsSecret(error.code) : error;
    });
    if (kind !== 'admin') throw needsSecret('unauthorized');
    await handle(host, req, res);
  };
}

const needsSecret = (code: ProblemCode) =>
  unauthorized(code, "This path needs the host's admin secret (authorization: Bearer <secret>).");
