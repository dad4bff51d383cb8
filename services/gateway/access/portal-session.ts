import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { createSecretCheck, digestToken, findCookie, portalTokens } from '../../../lib/credentials/token.ts';
import { problem } from '../../../lib/errors/index.ts';
import { type Exchange, sendNothing, sendPrivateJson, splitUrl } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { type Kv, parseRecord } from '../../../lib/kv/kv.ts';
import { type Caller, extractCredential, isBelow, requireCaller } from './caller.ts';
import { isFromOwnPage } from './own-page.ts';

type Request = Exchange['req'];

/** Browsers store a cookie with this prefix for exactly the host that set it, and only with `Secure` and `Path=/`. */
const cookieName = '__Host-portal';
const sessionSeconds = 30 * 60;

/** Limit of a session. It is above what a page needs to show all its parts several times a minute. */
export const sessionPolicy = { name: 'session', perMinute: 300 } as const;

/** Paths that accept a session. All others ignore its cookie. */
const sessionPaths = [
  '/api/portal/session',
  '/api/admin',
  '/api/adaptors/keys',
  '/api/adaptors/webhooks',
  '/api/sql',
  '/api/agent/adaptors',
  '/api/agent/plans',
  '/api/agent/freezes',
];

/** The only path of a run that accepts a session: the operator settles a run, and its owner does the rest. */
const settlePath = /^\/api\/agent\/runs\/\d{1,19}\/settle$/;

/** Record of a session in the store, under the digest of its token. */
const sessionRecord = z.discriminatedUnion('kind', [
  // Bound to the secret: write access to the store is not enough to forge one, and a changed secret ends all of them.
  z.object({ kind: z.literal('admin'), proof: z.string(), endsMs: z.int() }),
  // Bound to the key, which is looked up for each request: a revoked key ends its sessions.
  z.object({ kind: z.literal('key'), digest: z.string(), endsMs: z.int() }),
]);
type Session = z.infer<typeof sessionRecord>;

const storeKey = (token: string) => `portal:${digestToken(token)}`;

const computeProof = (token: string, adminSecret: string): string =>
  createHmac('sha256', adminSecret).update(token).digest('hex');

/** Finds the session of a token. Undefined if it has ended, or if an admin session was not made with this secret. */
export async function findSession(
  kv: Kv,
  token: string,
  adminSecret: string | undefined,
): Promise<Session | undefined> {
  const session = parseRecord(sessionRecord, await kv.get(storeKey(token)));
  if (!session || session.endsMs <= Date.now()) return undefined;
  if (session.kind === 'key') return session;
  return adminSecret !== undefined && createSecretCheck(computeProof(token, adminSecret))(session.proof)
    ? session
    : undefined;
}

const sessions = new WeakMap<Exchange, Session>();

export const setSession = (exchange: Exchange, session: Session) => sessions.set(exchange, session);

/** Returns the session token of a cookie, if the path accepts it, a page of this site sent it, and no credential is beside it. */
export function extractPortalToken(req: Request): string | undefined {
  const { path } = splitUrl(req.url ?? '');
  if (!settlePath.test(path) && !isBelow(path, sessionPaths)) return undefined;
  const { authorization, cookie } = req.headers;
  if (authorization !== undefined || req.headers['x-api-key'] !== undefined) return undefined;
  const token = findCookie(cookie, cookieName);
  return token !== undefined && portalTokens.looksLike(token) && isFromOwnPage(req) ? token : undefined;
}

export interface PortalSessionDependencies {
  /** Undefined if the host has no key-value store. Then no caller is identified. */
  kv: Kv | undefined;
  adminSecret: string | undefined;
}

const path = '/api/portal/session';

const formatCookie = (value: string, seconds: number) =>
  `${cookieName}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Strict`;

/** Describes a session to its page, without its secrets. */
function describeSession(caller: Caller, { endsMs }: Session) {
  return {
    kind: caller.kind,
    ...(caller.kind === 'key' && { integrator: caller.integrator }),
    expiresMs: endsMs,
  };
}

async function endCookieSession(kv: Kv, req: Request): Promise<void> {
  const token = findCookie(req.headers.cookie, cookieName);
  if (token !== undefined && portalTokens.looksLike(token)) await kv.delete(storeKey(token));
}

const signIn = route({
  method: 'post',
  path,
  security: [{ apiKey: [] }, { bearer: [] }],
  authorize(exchange) {
    if (!isFromOwnPage(exchange.req)) {
      throw problem(
        'foreign_origin',
        'Only a page of this site, opened over https or on localhost, may sign in.',
      );
    }
    const caller = requireCaller(exchange, 'key');
    // Otherwise, a session could extend itself without end.
    if (sessions.has(exchange))
      throw problem('unauthorized', 'A session opens no other one. Send the admin secret or the API key.');
    return caller;
  },
  body: z.strictObject({}),
  async handler({ exchange, authorized }, { kv, adminSecret }: PortalSessionDependencies) {
    await endCookieSession(kv!, exchange.req);
    const token = portalTokens.make();
    const endsMs = Date.now() + sessionSeconds * 1_000;
    const credential = extractCredential(exchange.req);
    const session: Session =
      credential.kind === 'key'
        ? { kind: 'key', digest: digestToken(credential.key), endsMs }
        : { kind: 'admin', proof: computeProof(token, adminSecret!), endsMs };
    await kv!.set(storeKey(token), JSON.stringify(session), sessionSeconds * 1_000);
    exchange.res.setHeader('set-cookie', formatCookie(token, sessionSeconds));
    sendPrivateJson(exchange, describeSession(authorized, session));
  },
});

const getSession = route({
  method: 'get',
  path,
  security: [{ bearer: [] }],
  authorize: requireSession,
  async handler({ exchange, authorized: { caller, session } }) {
    sendPrivateJson(exchange, describeSession(caller, session));
  },
});

const signOut = route({
  method: 'delete',
  path,
  security: [{ bearer: [] }],
  authorize: requireSession,
  async handler({ exchange }, { kv }: PortalSessionDependencies) {
    await endCookieSession(kv!, exchange.req);
    exchange.res.setHeader('set-cookie', formatCookie('', 0));
    sendNothing(exchange);
  },
});

function requireSession(exchange: Exchange) {
  const caller = requireCaller(exchange, 'key');
  const session = sessions.get(exchange);
  if (!session) throw problem('unauthorized', 'This operation needs a session of a page of this site.');
  return { caller, session };
}

/** Routes with which a page exchanges a credential for a cookie. They are not part of the API for programs. */
export const portalSessionRoutes = [signIn, getSession, signOut];
