import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { cookieOf, portalTokens, secretCheck, tokenDigest } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendNothing, sendPrivateJson, splitUrl } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { type Kv, parseRecord } from '../../../lib/kv/kv.ts';
import { type Caller, credentialOf, requireCaller } from './caller.ts';

type Request = Exchange['req'];

/** Browsers store a cookie with this prefix for exactly the host that set it, and only with `Secure` and `Path=/`. */
const cookieName = '__Host-portal';
const sessionSeconds = 30 * 60;

/** Above what a page needs to show all its parts several times a minute. */
export const sessionPolicy = { name: 'session', perMinute: 300 } as const;

/** Paths on which a session counts. On every other one, its cookie is not looked at. */
const sessionPaths = [
  '/api/portal/session',
  '/api/admin',
  '/api/adaptors/keys',
  '/api/adaptors/webhooks',
  '/api/agent/adaptors',
  '/api/agent/plans',
  '/api/agent/freezes',
];

/** And of the runs of the agent, which are their owners', the one thing that only the operator does. */
const settlePath = /^\/api\/agent\/runs\/\d{1,19}\/settle$/;

const isSessionPath = (path: string) =>
  settlePath.test(path) || sessionPaths.some((base) => path === base || path.startsWith(`${base}/`));

/** What the store keeps of a session, under the digest of its token. */
const sessionRecord = z.discriminatedUnion('kind', [
  // Bound to the secret: a writer of the store cannot make one, and a changed secret ends all of them.
  z.object({ kind: z.literal('admin'), proof: z.string(), endsMs: z.int() }),
  // Bound to the key, which is looked up for each request: a revoked one ends its sessions.
  z.object({ kind: z.literal('key'), digest: z.string(), endsMs: z.int() }),
]);
type Session = z.infer<typeof sessionRecord>;

const storeKey = (token: string) => `portal:${tokenDigest(token)}`;

const proofOf = (token: string, adminSecret: string): string =>
  createHmac('sha256', adminSecret).update(token).digest('hex');

/** The session of a token; undefined where it has ended or the store's record is not one that this host made. */
export async function findSession(
  kv: Kv,
  token: string,
  adminSecret: string | undefined,
): Promise<Session | undefined> {
  const session = parseRecord(sessionRecord, await kv.get(storeKey(token)));
  if (!session || session.endsMs <= Date.now()) return undefined;
  if (session.kind === 'key') return session;
  return adminSecret !== undefined && secretCheck(proofOf(token, adminSecret))(session.proof)
    ? session
    : undefined;
}

const sessions = new WeakMap<Exchange, Session>();

export const setSession = (exchange: Exchange, session: Session) => sessions.set(exchange, session);

/**
 * The token of a session in a request's cookie, where the cookie counts: on the paths of sessions, without another
 * credential, and in a request that a page of this site sent.
 */
export function portalTokenOf(req: Request): string | undefined {
  const { path } = splitUrl(req.url ?? '');
  if (!isSessionPath(path)) return undefined;
  const { authorization, cookie } = req.headers;
  if (authorization !== undefined || req.headers['x-api-key'] !== undefined) return undefined;
  const token = cookieOf(cookie, cookieName);
  return token !== undefined && portalTokens.looksLike(token) && isOfOwnPage(req) ? token : undefined;
}

const isRead = (method: string | undefined) => method === 'GET' || method === 'HEAD';

/**
 * Whether a page of this site sent the request, as the browser says. `SameSite` alone would let pages on other ports of
 * the same host act, and every answer has `access-control-allow-origin: *`.
 */
function isOfOwnPage({ method, headers }: Request): boolean {
  if (headers['sec-fetch-site'] !== 'same-origin') return false;
  if (isRead(method)) return true;
  // Not a type that a form can send.
  const isJson = /^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '');
  return isJson && isOwnOrigin(headers.origin, headers.host);
}

/** Plain http is this host's own only where browsers take it for secure. */
function isOwnOrigin(origin: string | undefined, host = ''): boolean {
  if (origin === undefined || host === '') return false;
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
  return origin === `https://${host}` || (isLoopback && origin === `http://${host}`);
}

export interface PortalSessionDependencies {
  /** Absent where the host has no key-value store; then no caller is known. */
  kv: Kv | undefined;
  adminSecret: string | undefined;
}

const path = '/api/portal/session';

const cookie = (value: string, seconds: number) =>
  `${cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Strict`;

/** What a page may know of its session. */
function shown(caller: Caller, { endsMs }: Session) {
  return {
    kind: caller.kind,
    ...(caller.kind === 'key' && { integrator: caller.integrator }),
    expiresMs: endsMs,
  };
}

async function endCookieSession(kv: Kv, req: Request): Promise<void> {
  const token = cookieOf(req.headers.cookie, cookieName);
  if (token !== undefined && portalTokens.looksLike(token)) await kv.delete(storeKey(token));
}

const signIn = route({
  method: 'post',
  path,
  security: [{ apiKey: [] }, { bearer: [] }],
  authorize(exchange) {
    if (!isOfOwnPage(exchange.req)) throw foreignPage();
    const caller = requireCaller(exchange, 'key');
    // A session would otherwise never end.
    if (sessions.has(exchange))
      throw problem('unauthorized', 'A session opens no other one. Send the admin secret or the API key.');
    return caller;
  },
  body: z.strictObject({}),
  async handler({ exchange, authorized }, { kv, adminSecret }: PortalSessionDependencies) {
    await endCookieSession(kv!, exchange.req);
    const token = portalTokens.make();
    const endsMs = Date.now() + sessionSeconds * 1_000;
    const credential = credentialOf(exchange.req);
    const session: Session =
      credential.kind === 'key'
        ? { kind: 'key', digest: tokenDigest(credential.key), endsMs }
        : { kind: 'admin', proof: proofOf(token, adminSecret!), endsMs };
    await kv!.set(storeKey(token), JSON.stringify(session), sessionSeconds * 1_000);
    exchange.res.setHeader('set-cookie', cookie(token, sessionSeconds));
    sendPrivateJson(exchange, shown(authorized, session));
  },
});

const getSession = route({
  method: 'get',
  path,
  security: [{ bearer: [] }],
  authorize: requireSession,
  async handler({ exchange, authorized: { caller, session } }) {
    sendPrivateJson(exchange, shown(caller, session));
  },
});

const signOut = route({
  method: 'delete',
  path,
  security: [{ bearer: [] }],
  authorize: requireSession,
  async handler({ exchange }, { kv }: PortalSessionDependencies) {
    await endCookieSession(kv!, exchange.req);
    exchange.res.setHeader('set-cookie', cookie('', 0));
    sendNothing(exchange);
  },
});

function requireSession(exchange: Exchange) {
  const caller = requireCaller(exchange, 'key');
  const session = sessions.get(exchange);
  if (!session) throw problem('unauthorized', 'This operation needs a session of a page of this site.');
  return { caller, session };
}

const foreignPage = () =>
  problem('foreign_origin', 'Only a page of this site, opened over https or on localhost, may sign in.');

/** How a page exchanges the admin secret or an API key for a cookie. Not part of the API for programs. */
export const portalSessionRoutes = [signIn, getSession, signOut];
