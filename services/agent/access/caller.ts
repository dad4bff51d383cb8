import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import {
  closeSessions,
  type ExecutorKey,
  findKey,
  findSession,
  openSession,
  operator,
} from '../../../db/queries/agent/access.ts';
import { readWallets, type Wallet } from '../../../db/queries/wallets/wallets.ts';
import { internalAgentHeader } from '../../../lib/actions/tools-api.ts';
import {
  type NonceBody,
  nonceRequest,
  type SessionBody,
  type SignedInBody,
  signInRequest,
} from '../../../lib/agent/shapes.ts';
import {
  createSecretCheck,
  digestToken,
  executorKeys,
  findSessionCookie,
  sessionCookieName,
  sessionTokens,
} from '../../../lib/credentials/token.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendPrivateJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import type { NodeChoice } from '../chain/node.ts';
import { requireSignature } from './signature.ts';
import type { Withdrawals } from './withdrawals.ts';

export type Caller =
  /** The holder of an executor key, for its one wallet and within its scope. */
  | {
      kind: 'key';
      id: string;
      network: string;
      walletId: string;
      issuedBy: string;
      scope: ExecutorKey['scope'];
    }
  /** Another service of this deployment, for any wallet. */
  | { kind: 'internal' }
  /** An owner who signed in with the key of an address, for the wallets of that address. */
  | { kind: 'session'; address: string; digest: string; expiresAt: Date }
  /** The operator, with the admin secret: may read runs but not start them. */
  | { kind: 'admin' };

export interface RouteDependencies {
  db: Pool;
  findCaller: FindCaller;
  nodes: NodeChoice;
  defaultNetwork: Network;
  now: () => Date;
}

interface CallerOptions {
  db: Pool;
  internalSecret: string;
  adminSecret?: string | undefined;
  now: () => Date;
}

type FindCaller = (exchange: Pick<Exchange, 'req'>) => Promise<Caller>;

const bearer = /^bearer +(\S+) *$/i;

/** Finds the caller by the internal header, else a bearer token, else the session's cookie. @throws ProblemError 401 */
export function createCallerFinder({ db, internalSecret, adminSecret, now }: CallerOptions): FindCaller {
  const isInternal = createSecretCheck(internalSecret);
  const isAdmin = createSecretCheck(adminSecret);

  async function findByKey(token: string): Promise<Caller> {
    const key = executorKeys.looksLike(token) ? await findKey(db, digestToken(token)) : undefined;
    if (!key) throw invalidKey('This executor key is invalid or revoked');
    const { id, network, walletId, issuedBy, scope, expiresMs, issuerHolds } = key;
    if (expiresMs !== null && expiresMs <= now().getTime()) {
      throw invalidKey(`This executor key expired at ${new Date(expiresMs).toISOString()}`);
    }
    if (!issuerHolds)
      throw invalidKey(`This executor key was issued by ${issuedBy}, who no longer owns the wallet`);
    return { kind: 'key', id, network, walletId, issuedBy, scope };
  }

  async function findBySession(token: string): Promise<Caller> {
    const digest = digestToken(token);
    const session = sessionTokens.looksLike(token) ? await findSession(db, digest, now()) : undefined;
    if (!session)
      throw problem('invalid_session', 'The session has expired or does not exist. Sign in again.');
    return { kind: 'session', digest, ...session };
  }

  return async ({ req }) => {
    const internal = req.headers[internalAgentHeader];
    if (internal !== undefined) {
      if (isInternal(String(internal))) return { kind: 'internal' };
      throw problem('invalid_credentials', `The ${internalAgentHeader} header has the wrong value.`);
    }
    const token = bearer.exec(req.headers.authorization ?? '')?.[1];
    if (token !== undefined) {
      if (token.startsWith(executorKeys.prefix)) return await findByKey(token);
      if (token.startsWith(sessionTokens.prefix)) return await findBySession(token);
      if (isAdmin(token)) return { kind: 'admin' };
      throw problem(
        'invalid_credentials',
        'The bearer token is neither an executor key nor a session token.',
      );
    }
    const cookie = findSessionCookie(req.headers.cookie);
    if (cookie !== undefined) return await findBySession(cookie);
    throw problem(
      'unauthorized',
      'Send an executor key (authorization: Bearer ek_...) for the wallet, or sign in as its owner ' +
        '(POST /api/agent/session/nonce).',
    );
  };
}

/** Finds the caller; undefined without a credential. @throws ProblemError 401 for a wrong one */
export const findCallerIfAny = (findCaller: FindCaller, exchange: Exchange) =>
  findCaller(exchange).catch((error: unknown) => {
    if (error instanceof ProblemError && error.code === 'unauthorized') return undefined;
    throw error;
  });

const invalidKey = (reason: string) =>
  problem('invalid_key', `${reason}. The wallet's owner or the operator can issue another one.`);

/** `true` if the operator vouches for the caller: another service, or the holder of a key that the operator issued. */
export const isVouchedByOperator = (caller: Caller) =>
  caller.kind === 'internal' || (caller.kind === 'key' && caller.issuedBy === operator);

/** Reads a wallet that the caller may use; undefined if it is not indexed. @throws ProblemError 403 */
export async function requireWallet(
  db: Pool,
  caller: Caller,
  { network, walletId }: { network: Network; walletId: string },
): Promise<Wallet | undefined> {
  const [wallet] = await readWallets(db, [{ network, walletId }]);
  if (caller.kind === 'internal' || caller.kind === 'admin') return wallet;
  if (caller.kind === 'key') {
    if (caller.walletId === walletId && caller.network === network) return wallet;
    throw problem('wrong_wallet', 'This executor key is for another wallet. Use a key of this wallet.');
  }
  if (wallet?.owner === caller.address) return wallet;
  throw problem(
    'not_your_wallet',
    `The session belongs to ${caller.address}, which does not own this wallet.`,
  );
}

export interface SessionDependencies extends RouteDependencies {
  nonces: Nonces;
  withdrawals: Withdrawals;
}

const bodyBytesMax = 16_000;
const sessionSeconds = 12 * 3_600;

const postNonce = route({
  method: 'post',
  path: '/api/agent/session/nonce',
  body: nonceRequest,
  bodyBytesMax,
  async handler({ exchange, body: { address } }, { nonces }: SessionDependencies) {
    const { nonce, message, expiresAt } = nonces.make(address);
    sendPrivateJson<NonceBody>(exchange, { nonce, message, expiresMs: expiresAt.getTime() });
  },
});

const postSession = route({
  method: 'post',
  path: '/api/agent/session',
  body: signInRequest,
  bodyBytesMax,
  async handler({ exchange, body }, { db, nodes, defaultNetwork, nonces, now }: SessionDependencies) {
    const { address, signature } = body;
    const nonce = nonces.read(address, body.nonce);
    if (!nonce)
      throw problem(
        'invalid_nonce',
        'The nonce has expired or was issued for another address. Request a new one.',
      );
    await requireSignature({ address, message: nonce.message, signature }, () => ({
      network: defaultNetwork,
      client: nodes(defaultNetwork).client,
    }));
    const token = sessionTokens.make();
    const createdAt = now();
    const expiresAt = new Date(createdAt.getTime() + sessionSeconds * 1_000);
    const session = { address, digest: digestToken(token), createdAt, expiresAt };
    if (!(await openSession(db, nonce, session))) {
      throw problem('nonce_used', 'The nonce was already used. Request a new one.');
    }
    exchange.res.setHeader('set-cookie', buildCookie(token, sessionSeconds));
    sendPrivateJson<SignedInBody>(exchange, { token, address, expiresMs: expiresAt.getTime() });
  },
});

const getSession = route({
  method: 'get',
  path: '/api/agent/session',
  async handler({ exchange }, { findCaller }: SessionDependencies) {
    const { address, expiresAt } = requireSession(await findCaller(exchange));
    sendPrivateJson<SessionBody>(exchange, { address, expiresMs: expiresAt.getTime() });
  },
});

const deleteSession = route({
  method: 'delete',
  path: '/api/agent/session',
  async handler({ exchange }, { db, findCaller, withdrawals }: SessionDependencies) {
    const { digest } = requireSession(await findCaller(exchange));
    await closeSessions(db, [digest]);
    withdrawals.addClosed(digest);
    exchange.res.writeHead(204, { 'set-cookie': buildCookie('', 0) }).end();
  },
});

export const sessionRoutes = [postNonce, postSession, getSession, deleteSession];

function requireSession(caller: Caller): Extract<Caller, { kind: 'session' }> {
  if (caller.kind === 'session') return caller;
  throw problem('unauthorized', 'Not signed in: the credential is not a session token.');
}

/** Lifetime of a nonce. */
const nonceMs = 5 * 60_000;

interface Nonce {
  nonce: string;
  message: string;
  expiresAt: Date;
}

interface Nonces {
  make(address: string): Nonce;
  /** Returns `undefined` if this service did not make the nonce for this address, or if the nonce has expired. */
  read(address: string, nonce: string): Nonce | undefined;
}

interface NonceOptions {
  /** Secret with which the services of this deployment authenticate each other. */
  hostSecret: string;
  /** Origin by which callers reach this service. */
  publicUrl: string;
  now: () => Date;
}

/**
 * Creates and reads nonces that are bound to an address and an expiry. A key of this service authenticates them, so
 * that the service stores nothing. The caller that accepts a signature ensures that a nonce is used only once.
 */
export function createNonces({ hostSecret, publicUrl, now }: NonceOptions): Nonces {
  const key = createHmac('sha256', hostSecret).update('agent session nonces').digest();
  const computeTag = (address: string, body: string) =>
    createHmac('sha256', key).update(`${address} ${body}`).digest().subarray(0, 16);
  const buildNonce = (address: string, body: string): Nonce => {
    const expiresAt = new Date(Number.parseInt(body.split('.')[1]!, 36));
    const nonce = `${body}.${computeTag(address, body).toString('hex')}`;
    return { nonce, expiresAt, message: formatMessage(publicUrl, address, nonce, expiresAt) };
  };
  return {
    make(address) {
      const expiresMs = now().getTime() + nonceMs;
      return buildNonce(address, `${randomBytes(16).toString('hex')}.${expiresMs.toString(36)}`);
    },
    read(address, nonce) {
      const [, body, tag] = /^([0-9a-f]{32}\.[0-9a-z]{1,11})\.([0-9a-f]{32})$/.exec(nonce) ?? [];
      if (body === undefined || tag === undefined) return undefined;
      if (!timingSafeEqual(computeTag(address, body), Buffer.from(tag, 'hex'))) return undefined;
      const known = buildNonce(address, body);
      return known.expiresAt > now() ? known : undefined;
    },
  };
}

/**
 * The layout follows ERC-4361, which wallets know. The message names this host, so that a signature over another host's
 * message, relayed by a page, is not valid here.
 */
const formatMessage = (publicUrl: string, address: string, nonce: string, expiresAt: Date) =>
  [
    `${new URL(publicUrl).host} wants you to sign in with your Sui account:`,
    address,
    '',
    'After you sign in, its agent runs the actions that you request for your wallets. This is not a transaction and moves no funds.',
    '',
    `URI: ${publicUrl}`,
    'Version: 1',
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(expiresAt.getTime() - nonceMs).toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n');

/** The browser sends the cookie only to this service's paths, and only from its own pages. Scripts cannot read it. */
const cookieAttributes = 'Path=/api/agent; HttpOnly; Secure; SameSite=Strict';

const buildCookie = (token: string, seconds: number) =>
  `${sessionCookieName}=${token}; Max-Age=${seconds}; ${cookieAttributes}`;
