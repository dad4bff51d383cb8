import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { findKey, findSession, type Session } from '../../../db/queries/agent/access.ts';
import type { KeyScope } from '../../../db/schema/agent-access.ts';
import { internalAgentHeader } from '../../../lib/actions/tools-api.ts';
import {
  executorKeys,
  secretCheck,
  sessionCookieOf,
  sessionTokens,
  tokenDigest,
} from '../../../lib/credentials/token.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { ProblemCode } from '../../../lib/errors/problems.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';

/** The caller of a request. */
export type Caller =
  /** The holder of an executor key, for its one wallet and within its scope. */
  | { kind: 'key'; id: string; network: string; walletId: string; issuedBy: string; scope: KeyScope }
  /** Another service of this deployment, for any wallet. */
  | { kind: 'internal' }
  /** An owner who signed in with the key of an address, for the wallets of that address. */
  | { kind: 'session'; address: string; digest: string; expiresAt: Date }
  /** The operator, with the admin secret: may read runs but not start them. */
  | { kind: 'admin' };

interface CallerOptions {
  db: Pool;
  internalSecret: string;
  adminSecret?: string | undefined;
  now: () => Date;
}

export type FindCaller = (exchange: Pick<Exchange, 'req'>) => Promise<Caller>;

const bearer = /^bearer +(\S+) *$/i;

/**
 * Finds the caller by the internal header, else by a bearer token, else by the session's cookie.
 * @throws ProblemError 401 without a credential, or with one that is invalid, revoked or expired
 */
export function callers({ db, internalSecret, adminSecret, now }: CallerOptions): FindCaller {
  const isInternal = secretCheck(internalSecret);
  const isAdmin = secretCheck(adminSecret);

  async function byKey(key: string): Promise<Caller> {
    const found = executorKeys.looksLike(key) ? await findKey(db, tokenDigest(key)) : undefined;
    if (!found) throw invalidKey('This executor key is invalid or revoked');
    const { id, network, walletId, issuedBy, scope, expiresMs, issuerHolds } = found;
    if (expiresMs !== null && expiresMs <= now().getTime()) {
      throw invalidKey(`This executor key expired at ${new Date(expiresMs).toISOString()}`);
    }
    if (!issuerHolds)
      throw invalidKey(`This executor key was issued by ${issuedBy}, who no longer owns the wallet`);
    return { kind: 'key', id, network, walletId, issuedBy, scope };
  }

  async function bySession(token: string): Promise<Caller> {
    const digest = tokenDigest(token);
    const found: Session | undefined = sessionTokens.looksLike(token)
      ? await findSession(db, digest, now())
      : undefined;
    if (!found)
      throw unauthorized('invalid_session', 'The session has expired or does not exist. Sign in again.');
    return { kind: 'session', digest, ...found };
  }

  return async ({ req }) => {
    const internal = req.headers[internalAgentHeader];
    if (internal !== undefined) {
      if (isInternal(String(internal))) return { kind: 'internal' };
      throw unauthorized('invalid_credentials', `The ${internalAgentHeader} header has the wrong value.`);
    }
    const token = bearer.exec(req.headers.authorization ?? '')?.[1];
    if (token !== undefined) {
      if (token.startsWith(executorKeys.prefix)) return await byKey(token);
      if (token.startsWith(sessionTokens.prefix)) return await bySession(token);
      if (isAdmin(token)) return { kind: 'admin' };
      throw unauthorized(
        'invalid_credentials',
        'The bearer token is neither an executor key nor a session token.',
      );
    }
    const cookie = sessionCookieOf(req.headers.cookie);
    if (cookie !== undefined) return await bySession(cookie);
    throw unauthorized(
      'unauthorized',
      'Send an executor key (authorization: Bearer ek_...) for the wallet, or sign in as its owner ' +
        '(POST /api/agent/session/nonce).',
    );
  };
}

const invalidKey = (reason: string) =>
  unauthorized('invalid_key', `${reason}. The wallet's owner or the operator can issue another one.`);

export const unauthorized = (code: ProblemCode, detail: string): ProblemError => problem(code, detail);

/** @throws ProblemError 403 */
export function requireWallet(
  caller: Caller,
  network: Network,
  walletId: string,
  owner: string | undefined,
): void {
  if (caller.kind === 'internal' || caller.kind === 'admin') return;
  if (caller.kind === 'key') {
    if (caller.walletId === walletId && caller.network === network) return;
    throw forbidden('wrong_wallet', 'This executor key is for another wallet. Use a key of this wallet.');
  }
  if (owner === caller.address) return;
  throw forbidden(
    'not_your_wallet',
    `The session belongs to ${caller.address}, which does not own this wallet.`,
  );
}

export const forbidden = (code: ProblemCode, detail: string): ProblemError => problem(code, detail);
