import { isValidPersonalMessageSignature } from '@mysten/sui/verify';
import type { Request, Response, Router } from 'express';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { closeSession, openSession } from '../../../db/queries/agent/sessions.ts';
import {
  type nonceBody,
  nonceRequest,
  type sessionBody,
  type signedInBody,
  signInRequest,
} from '../../../lib/agent/shapes.ts';
import { sessionTokens, tokenDigest } from '../../../lib/credentials/token.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { sendJson } from '../server/exchange.ts';
import { type Caller, type FindCaller, unauthorized } from './caller.ts';
import { clearCookie, setCookie } from './cookie.ts';
import type { Nonces } from './nonce.ts';

export interface SessionHost {
  db: Pool;
  nonces: Nonces;
  findCaller: FindCaller;
  now: () => Date;
}

const bodyBytesMax = 16_000;
const sessionSeconds = 12 * 3_600;

/** Signing in with the key of an address, and out. */
export function sessionRoutes(router: Router, host: SessionHost): void {
  router.post('/api/agent/session/nonce', (req, res) => nonce(host, req, res));
  router.post('/api/agent/session', (req, res) => signIn(host, req, res));
  router.get('/api/agent/session', (req, res) => show(host, req, res));
  router.delete('/api/agent/session', (req, res) => signOut(host, req, res));
}

async function nonce({ nonces }: SessionHost, req: Request, res: Response): Promise<void> {
  const { address } = await parseBody({ req }, nonceRequest, bodyBytesMax);
  const { nonce, message, expiresAt } = nonces.make(address);
  sendJson(res, { nonce, message, expiresMs: expiresAt.getTime() } satisfies z.infer<typeof nonceBody>);
}

async function signIn({ db, nonces, now }: SessionHost, req: Request, res: Response): Promise<void> {
  const { address, nonce: given, signature } = await parseBody({ req }, signInRequest, bodyBytesMax);
  const nonce = nonces.read(address, given);
  if (!nonce)
    throw unauthorized(
      'invalid_nonce',
      'The nonce is over, or was made for another address; ask for a new one.',
    );
  const message = new TextEncoder().encode(nonce.message);
  // Schemes that need a third party's word to be verified are refused like wrong signatures.
  const valid = await isValidPersonalMessageSignature(message, signature, { address }).catch(() => false);
  if (!valid)
    throw unauthorized(
      'invalid_signature',
      "The signature is not the address's, or is over another message.",
    );
  const token = sessionTokens.make();
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + sessionSeconds * 1_000);
  const session = { address, digest: tokenDigest(token), createdAt, expiresAt };
  if (!(await openSession(db, nonce, session))) {
    throw unauthorized('nonce_used', 'Somebody signed in with this nonce before; ask for a new one.');
  }
  res.setHeader('set-cookie', setCookie(token, sessionSeconds));
  const body: z.infer<typeof signedInBody> = { token, address, expiresMs: expiresAt.getTime() };
  sendJson(res, body);
}

async function show({ findCaller }: SessionHost, req: Request, res: Response): Promise<void> {
  const { address, expiresAt } = requireSession(await findCaller(req));
  sendJson(res, { address, expiresMs: expiresAt.getTime() } satisfies z.infer<typeof sessionBody>);
}

async function signOut({ db, findCaller }: SessionHost, req: Request, res: Response): Promise<void> {
  await closeSession(db, requireSession(await findCaller(req)).digest);
  res.setHeader('set-cookie', clearCookie);
  res.status(204).end();
}

function requireSession(caller: Caller): Extract<Caller, { kind: 'session' }> {
  if (caller.kind === 'session') return caller;
  throw unauthorized('unauthorized', 'Nobody is signed in: this credential is no session.');
}
